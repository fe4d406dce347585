"""Stage times of a rally."""

from dataclasses import dataclass


@dataclass
class Result:
    """One crew on one stage; times in seconds."""

    driver: str
    seconds: float
    penalty: float = 0.0


def format_time(seconds):
    """Minutes, seconds and tenths: 83.5 is 1:23.5."""
    minutes = int(seconds // 60)
    return f"{minutes}:{seconds % 60:.1f}"


def ranking(results):
    """The drivers of a stage, fastest first."""
    ordered = sorted(results, key=lambda result: result.seconds)
    return [result.driver for result in ordered]
