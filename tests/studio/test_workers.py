"""Worker processes: replaced once, whoever finds one gone."""

from __future__ import annotations

import asyncio
from pathlib import Path

from retime.studio import jobs
from retime.studio.workers import Workers


def test_a_worker_that_is_gone_is_replaced_once(jump_file: Path) -> None:
    started = []

    class Counted(Workers):
        def _spawn(self):  # type: ignore[no-untyped-def]
            started.append(fresh := super()._spawn())
            return fresh

    async def ask() -> list[object]:
        workers = Counted()
        await workers.start()
        try:
            gone = workers._by_role["answer"]
            gone.gone = True
            gone.child.process.kill()
            asked = [
                workers.run("answer", f"look:{n}", jobs.Inspect(str(jump_file))) for n in range(4)
            ]
            return [said.answer for said, _ in await asyncio.gather(*asked)]
        finally:
            await workers.close()

    assert asyncio.run(ask()) == [[None]] * 4
    assert len(started) == 3
