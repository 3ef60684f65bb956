"""Worker processes: cancelled, killed, and started again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from retime.studio import jobs
from retime.studio.workers import Stopped, Workers


def test_workers_that_are_gone_are_replaced_and_the_solver_by_the_other(jump_file: Path) -> None:
    inspect = jobs.Inspect(str(jump_file))

    async def ask() -> None:
        workers = Workers()
        await workers.start()
        answer = workers._lines["answer"].server
        try:
            answer.kill()  # while it has nothing to do
            asked = [workers.run("answer", f"look:{n}", inspect) for n in range(4)]
            assert [said.answer for said in await asyncio.gather(*asked)] == [[None]] * 4
            warm = answer.pid
            solving = asyncio.create_task(workers.run("solve", "look", inspect))
            await asyncio.sleep(0)
            later = asyncio.create_task(workers.run("solve", "later", inspect))
            await asyncio.sleep(0)
            assert await workers.cancel("look")
            with pytest.raises(Stopped):
                await solving
            assert (await later).answer == [None]
            assert workers._lines["solve"].server is answer
            assert answer.pid == warm
        finally:
            await workers.close()

    asyncio.run(ask())
