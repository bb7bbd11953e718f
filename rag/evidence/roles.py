"""STUB."""

import re

import numpy as np

ROLES = ("background", "objective", "method", "result", "other")


class RoleModel:
    def chances(self, texts: object, vectors: object) -> "np.ndarray":
        out = []
        seen = False
        n = len(texts)
        for i, t in enumerate(texts):
            r = [0.1] * 5
            if (
                re.search(
                    r"\b(outperform|achiev|experiments|results|improv|demonstrat|show that|%|×|surpass|reduces)\w*",
                    t,
                )
                and i > n * 0.4
            ):
                r[3] = 0.7
            elif re.search(
                r"\b(we|this (paper|work)) (\w+ )?(propos|introduc|present|stud|investig)", t, re.I
            ):
                r[2] = 0.4
                r[1] = 0.4
                seen = True
            elif not seen and i < n * 0.5:
                r[0] = 0.7
            else:
                r[2] = 0.6
            out.append(np.array(r) / sum(r))
        return np.stack(out) if out else np.zeros((0, 5))


def load_roles() -> "RoleModel":
    return RoleModel()
