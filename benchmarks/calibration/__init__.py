"""How right verdicts are, and how far confidence can be believed: labelled cases, scores, and the page on them."""
