"""What a person does in the color app's editor."""

from playwright.sync_api import expect


def hex_field(tab):
    return tab.editor.get_by_label("Hex")


def set_hex(tab, value):
    hex_field(tab).fill(value)
    hex_field(tab).press("Enter")
    expect(tab.editor.locator("#code")).to_have_text(value)
