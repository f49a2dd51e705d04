# Makes XLSX files with Excel::Writer::XLSX from the JSON on standard input, as scripts/sheet.py.
use strict;
use warnings;
use utf8;
use Excel::Writer::XLSX;
use JSON::PP;

my $task = decode_json(do { local $/; <STDIN> });
for my $book (@{ $task->{books} }) {
    my $made = Excel::Writer::XLSX->new($book->{path});
    for my $sheet (@{ $book->{sheets} }) {
        my $page = $made->add_worksheet($sheet->{name});
        $page->hide() if $sheet->{hidden};
        my ($y, %bold) = (0, map { $_ => 1 } @{ $sheet->{bold} // [] });
        for my $row (@{ $sheet->{rows} }) {
            my $x = 0;
            for my $cell (@$row) {
                my $is_object = ref $cell eq 'HASH';
                my %look = ($bold{$y} ? (bold => 1) : ());
                $look{num_format} = $cell->{format} // 'yyyy-mm-dd' if $is_object && ($cell->{format} || $cell->{date});
                my $format = $made->add_format(%look);
                if ($is_object && $cell->{date}) {
                    $page->write_date_time($y, $x, "$cell->{date}T", $format);
                } else {
                    my $value = $is_object ? $cell->{value} : $cell;
                    $page->write($y, $x, $value, $format) if defined $value;
                }
                $x += 1;
            }
            $y += 1;
        }
    }
    $made->close();
}
