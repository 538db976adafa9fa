"""Relations between printed numbers, from what a paper says to what is written to its authors.

- Language: formulas (`syntax`) are read (`language`) from relations files (`reading`) and records (`stored`).
- Facts: tables and running text become numbers with intervals (`fact`, `facts`, `sealed`, `prose`, `lexicon`), and
  `families` read relations off them that nobody wrote down.
- Decisions: a claim (`decision`) is lowered to cases of linear forms (`forms`), which are narrowed by intervals
  (`intervals`, `cases`), decided by linear programs with proofs (`linear`) or divided (`search`), all within an
  allowance (`work`): alone, then with those that share numbers (`decide`).
- Words: the arithmetic, the distance and the letter of a contradiction (`explanation`), and the audit of whatever was
  given (`auditing`, `subjects`).
"""
