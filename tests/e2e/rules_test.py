"""The rule as people see it: where each value comes from, and when they would be told."""
import unittest

from site_under_test import SiteTest


class Rules(SiteTest):
    def waits(self, *fields):
        table = self.run_site("rule", "timetable", "--platform", *fields, "--json").json
        return [row["wait_seconds"] for row in table["attempts"]][1:], table["told_after_seconds"]

    def test_a_customers_attempts_come_from_the_customer_and_the_delays_from_the_built_in_level(self):
        self.run_site("customer", "add", "acme")
        self.run_site("rule", "set", "--customer", "acme", "attempts=5")
        rule = self.run_site("rule", "show", "--customer", "acme", "--json").json
        self.assertEqual(rule["attempts"], {"value": 5, "origin": "customer", "origin_name": "acme"})
        for field in ("delay_seconds", "backoff", "max_delay_seconds"):
            self.assertEqual(rule[field]["origin"], "built-in")
        self.assertEqual((rule["delay_seconds"]["value"], rule["backoff"]["value"]), (300, 3.0))

    def test_the_timetables_of_the_built_in_rule_and_of_five_attempts(self):
        self.assertEqual(self.waits(), ([300, 900], 1200))
        self.assertEqual(self.waits("attempts=5"), ([300, 900, 2700, 3600], 7500))

    def test_a_value_out_of_bounds_changes_nothing_and_says_the_bounds(self):
        self.run_site("rule", "set", "--platform", "attempts=7")
        for wrong in ("attempts=0", "attempts=21", "backoff=nan", "delay_seconds=1.5", "atempts=3"):
            refused = self.run_site("rule", "set", "--platform", "delay_seconds=10", wrong, code=3)
            self.assertIn(wrong.split("=")[0], refused.err)
        rule = self.run_site("rule", "show", "--platform", "--json").json
        self.assertEqual((rule["attempts"]["value"], rule["delay_seconds"]["value"]), (7, 300))

    def test_an_empty_field_inherits_again(self):
        self.run_site("rule", "set", "--platform", "attempts=7")
        self.run_site("rule", "set", "--platform", "attempts=")
        self.assertEqual(self.run_site("rule", "show", "--platform", "--json").json["attempts"]["origin"], "built-in")


if __name__ == "__main__":
    unittest.main()
