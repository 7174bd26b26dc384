"""A journal's secret: random, made with its tables, one for all who open it."""

import sqlite3

from adjudge.journal import ReplayJournal, open_journal


def test_it_is_32_bytes_the_same_whenever_the_journal_is_opened_and_that_of_no_other(journal, other, tmp_path):
    assert len(journal.secret) == 32
    assert other.secret == ReplayJournal(other).secret == journal.secret
    stranger = open_journal(tmp_path / "other.db")
    assert stranger.secret != journal.secret
    stranger.close()


def test_one_that_is_given_is_that_of_a_new_journal_and_never_of_an_old_one(place):
    for given in (b"first" * 7, b"second" * 7):
        opened = open_journal(place, secret=given)
        assert opened.secret == b"first" * 7
        opened.close()


def test_a_journal_of_the_format_before_gets_one(tmp_path, postgres):
    file, server = tmp_path / "journal.db", postgres.new_place()
    for place in (file, server):
        open_journal(place).close()
    connection = sqlite3.connect(file)
    connection.executescript("drop table fence; pragma user_version = 4;")
    connection.close()
    postgres.do("drop table adjudge_fence; update adjudge_format set version = 3", server)
    for place in (file, server):
        secrets = []
        for _ in range(2):
            opened = open_journal(place)
            secrets.append(opened.secret)
            opened.close()
        assert len(secrets[0]) == 32 and secrets[0] == secrets[1]
