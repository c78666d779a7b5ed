#===- test_handbook_text.py - the evaluation text is as defined -----------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===-----------------------------------------------------------------------===#
"""Checks handbook_text.py on pages made for it; its digests hold it to the real ones."""

import handbook_text

LONG = "A sentence of more than forty characters, number {}."


def page(*parts):
    return "<html><head><title>" + LONG.format("title") + "</title></head><body>" + "".join(parts) + "</body></html>"


def test_lines_are_headings_paragraphs_and_items():
    text = page("<h1>", LONG.format(1), "</h1><p>", LONG.format(2), "</p><ul><li>", LONG.format(3), "</li></ul>")
    assert handbook_text.lines_of(text) == [LONG.format(1), LONG.format(2), LONG.format(3)]


def test_white_space_and_inline_elements_do_not_split_a_line():
    text = page("<p>A  sentence of\n<em>more</em> than forty &amp; a few characters</p>")
    assert handbook_text.lines_of(text) == ["A sentence of more than forty & a few characters"]


def test_short_lines_and_listings_are_left_out():
    forty, forty_one = "x" * 40, "y" * 41
    text = page("<p>", forty, "</p><pre>", LONG.format(1), "</pre><p>", forty_one, "</p>")
    assert handbook_text.lines_of(text) == [forty_one]


def test_every_fourth_page_goes_to_the_evaluation_text():
    pages = {f"sect.{name}.html": page("<p>", LONG.format(name), "</p>") for name in "hgfedcba"}
    texts = handbook_text.texts_of(pages)
    assert texts["eval.txt"] == LONG.format("d") + "\n" + LONG.format("h") + "\n"
    assert texts["calib.txt"].count("\n") == 6


def test_equal_lines_stay_once():
    pages = {f"sect.{name}.html": page("<p>", LONG.format("same"), "</p>") for name in "abc"}
    assert handbook_text.texts_of(pages)["calib.txt"] == LONG.format("same") + "\n"


def test_real_text_has_the_length_that_perplexity_needs(eval_text):
    assert eval_text.stat().st_size > 100_000
