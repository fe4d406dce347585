import unittest

from report import stage_report
from stage_times import Result, format_time, ranking


class StageTimes(unittest.TestCase):
    def test_seconds_have_two_digits(self):
        self.assertEqual(format_time(61.5), "1:01.5")

    def test_penalties_count(self):
        results = [Result("Ari", 60.0, penalty=10.0), Result("Michèle", 65.0)]
        self.assertEqual(ranking(results), ["Michèle", "Ari"])

    def test_report(self):
        results = [Result("Ari", 60.0, penalty=10.0), Result("Michèle", 65.0)]
        self.assertEqual(stage_report(results), "1. Michèle 1:05.0\n2. Ari 1:10.0")


if __name__ == "__main__":
    unittest.main()
