// Nothing to call: linking it in is enough.
