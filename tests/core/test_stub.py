"""The stub of the core is that of the core which is installed."""

import pytest

from manual.stub import STUB, stub

pytestmark = pytest.mark.integration


@pytest.mark.integration
def test_the_stub_is_up_to_date():
    """Otherwise type checkers look at another core; `python -m manual.stub` writes it anew."""
    assert STUB.read_text(encoding="utf-8") == stub()
