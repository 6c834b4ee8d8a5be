internal import CrashHarness

print("save-harness")
