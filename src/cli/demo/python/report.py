"""Prints the result of a stage."""

from stage_times import Result, format_time, ranking


def stage_report(results: list[Result]) -> str:
    times = {result.driver: result.seconds + result.penalty for result in results}
    lines = [f"{place}. {driver} {format_time(times[driver])}" for place, driver in enumerate(ranking(results), 1)]
    return "\n".join(lines)
