"""The library after every fault: killed processes, full disks, damaged files, many processes at once."""
