"""A column of a plain table has one meaning, or the log would be silently another one."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from atlas.models.log_blocks import ColumnsBlock

NAMES = {"need": "nodes", "duration": "run", "submitted": "came", "started": "began"}


@pytest.mark.parametrize(
    ("wrong", "found"),
    [
        ({"submitted": "began"}, "'began', which is submitted too"),
        ({"duration": "nodes"}, "'nodes', which is need too"),
        ({"requested": "came"}, "'came', which is submitted too"),
    ],
)
def test_a_column_that_is_named_twice_is_refused(wrong, found):
    with pytest.raises(ValidationError, match=found):
        ColumnsBlock(**NAMES | wrong)


def test_jobs_may_have_requested_exactly_what_they_used():
    assert ColumnsBlock(**NAMES, requested="run").plain() == NAMES | {"requested": "run"}
