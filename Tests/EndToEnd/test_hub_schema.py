"""Holds a hub to Docs/formats/hub.openapi.yaml: requests made up from it, good ones and bad ones."""

import pathlib

import hypothesis
import pytest
import schemathesis
import schemathesis.config
import yaml
from schemathesis import checks
from schemathesis.specs.openapi import checks as openapi

from hub_process import CONTAINER, ROOT, Hub, blobs, commit, frame

DOCUMENT = yaml.safe_load((pathlib.Path(ROOT) / "Docs/formats/hub.openapi.yaml").read_text(encoding="utf-8"))
BLOB = "5e" * 32
# What random names would never hit: the container that is there, or one that is not.
DOCUMENT["components"]["parameters"]["Container"]["schema"] = {"enum": [CONTAINER, "ab" * 16]}
DOCUMENT["components"]["parameters"]["Blob"]["schema"] = {"enum": [BLOB, "cd" * 32]}
# A request that waits for news says nothing about the schema, and holds everybody up.
DOCUMENT["paths"]["/v1/containers/{container}/log"]["get"]["parameters"][2]["schema"] = {"const": 0}
DOCUMENT["paths"]["/v1/pairings/{pairing}/messages"]["get"]["parameters"][1]["schema"] = {"const": 0}
# More of something than a request has at most is too large, and no worse than that.
REFUSALS = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "5xx"]
CONFIG = schemathesis.config.SchemathesisConfig.from_dict(
    {"checks": {"negative_data_rejection": {"expected-statuses": REFUSALS}}})
schema = schemathesis.openapi.from_dict(DOCUMENT, config=CONFIG)
CHECKS = [
    checks.not_a_server_error, openapi.status_code_conformance, openapi.content_type_conformance,
    openapi.response_headers_conformance, openapi.response_schema_conformance, openapi.ignored_auth,
    openapi.negative_data_rejection, openapi.unsupported_method,
]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    hub = Hub(tmp_path_factory.mktemp("schema") / "hub", "--address-rate", "100000", "--device-rate", "100000")
    hub.start().prepare()
    hub.commit(commit(1, 0, "a"), commit(1, 1, "b"))
    hub.ask("POST", blobs(), frame(BLOB, b"sealed"))
    yield hub
    hub.kill()


@schema.parametrize()
@hypothesis.settings(
    max_examples=25, derandomize=True, deadline=None, database=None,
    suppress_health_check=list(hypothesis.HealthCheck))
def test_the_hub_does_as_it_is_written(case, served):
    case.call_and_validate(
        base_url=f"http://127.0.0.1:{served.port}", headers={"Authorization": "Bearer " + served.token},
        checks=CHECKS, timeout=60)
