"""The interface is as described: requests made from its description get what it says, and no mistakes."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.serving import Served

EXAMPLES = 6
CHECKS = [
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
]


@pytest.mark.slow
def test_every_route_does_what_its_description_says(seed_library_path: Path, tmp_path: Path) -> None:
    # Requests remove papers and load others.
    place = shutil.copytree(seed_library_path, tmp_path / "library")
    with Served(place, "--rate", "0") as served:
        described = schemathesis.openapi.from_url(f"{served.url}/api/openapi.json")
        operations = [found.ok() for found in described.get_all_operations()]
        assert len(operations) > 15
        for operation in operations:

            @settings(
                max_examples=EXAMPLES,
                deadline=None,
                database=None,
                suppress_health_check=list(HealthCheck),
                derandomize=True,
            )
            @given(case=operation.as_strategy())
            def hold(case: Any) -> None:
                response = case.call_and_validate(checks=CHECKS)
                # 503 says that too many files wait to be read; no other mistake is the server's.
                assert response.status_code < 500 or response.status_code == 503

            hold()
