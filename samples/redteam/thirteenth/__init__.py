"""A thirteenth unseen set, by blind authors: an ordinary month at a support desk."""
