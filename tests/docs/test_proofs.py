"""What the pages say of Metacontroller and Kubernetes is proven by tests, which they name."""

import pytest

from tests.docs.proofs import PAGES, collected, exemptions, proofs, unproven
from tests.documents import ROOT

each_page = pytest.mark.parametrize("page", PAGES)


@each_page
def test_every_test_that_a_page_names_exists(page: str) -> None:
    assert [name for name in proofs((ROOT / page).read_text()) if name not in collected()] == []


@each_page
def test_a_sentence_about_others_names_a_test_or_a_reason(page: str) -> None:
    text = (ROOT / page).read_text()

    assert unproven(text) == []
    assert [reason for reason in exemptions(text) if len(reason.split()) < 4] == []


def test_most_sentences_about_others_have_a_test() -> None:
    texts = [(ROOT / page).read_text() for page in PAGES]
    named, exempt = ([found for text in texts for found in of(text)] for of in (proofs, exemptions))

    assert len(named) > 3 * len(exempt)
    assert len({name for name in named if name.startswith("e2e.")}) > 30


SAID = "Metacontroller deletes\nthem."
PROOF = "<!-- tests: e2e.deletion.its_children_are_deleted_with_it -->"


@pytest.mark.parametrize(
    "page",
    [
        SAID,
        f"Something else. {PROOF}\n\n{SAID}",
        f"- {SAID}\n- Something else. {PROOF}",
        f"1. One. {PROOF}\n2. {SAID}\n",
        f"| a | b |\n|---|---|\n| 1 | {SAID} |\n\nSomething else. {PROOF}",
        f"{SAID} <!-- Something else. -->",
        "子资源由 Metacontroller 删除",
        "值无效时 API 服务器会拒绝",
    ],
)
def test_a_sentence_without_a_proof_is_found(page: str) -> None:
    assert len(unproven(page)) == 1


@pytest.mark.parametrize(
    "page",
    [
        f"{SAID} {PROOF}",
        f"{SAID}\n{PROOF}",
        f"- {SAID}\n  {PROOF}\n- Something else.",
        f"| a | b |\n|---|---|\n| 1 | Metacontroller deletes. |\n\n{PROOF}\n\nSomething else.",
        f"{SAID} <!-- no test: what it does is\nwritten in its manual -->",
        f"# Metacontroller\n\n    helm install # Metacontroller\n\n```\n{SAID}\n```\n",
        "`metacontroller` is a name.",
        "这是 Metacontroller 的一项设置",
        f"<!-- tests of this page: life.a -->\n\n{SAID}",
    ],
)
def test_a_sentence_with_a_proof_is_not_found(page: str) -> None:
    assert unproven(page) == []


def test_a_test_that_does_not_exist_is_no_proof() -> None:
    page = "It does. <!-- tests: e2e.deletion.its_children_are_deleted_with_it,\ne2e.deletion.nothing_goes -->"

    assert [name for name in proofs(page) if name not in collected()] == ["e2e.deletion.nothing_goes"]
