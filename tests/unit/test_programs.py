"""Sizes that programs are compiled for."""

from tradespace.programs import padded_rows


def test_padding_holds_every_row_and_wastes_little() -> None:
    for count in [*range(1, 500), 1003, 1005, 4004, 4005, 5000, 12_345]:
        rows = padded_rows(count)
        assert rows >= count
        if count > 24:
            # Twice as many at most, and less than that when there are many.
            assert rows <= 2.2 * count
        if count > 1000:
            assert rows <= 1.5 * count + 4


def test_growing_to_two_hundred_rows_takes_few_sizes() -> None:
    # Each program is compiled once for each size; there are two, and eight compilations allowed.
    assert len({padded_rows(count) for count in range(1, 201)}) <= 4


def test_sizes_are_no_powers_of_two() -> None:
    for rows in {padded_rows(count) for count in range(1, 5000)}:
        assert rows & (rows - 1) != 0


def test_padding_grows_with_the_rows() -> None:
    sizes = [padded_rows(count) for count in range(1, 9000, 7)]
    assert sizes == sorted(sizes)
