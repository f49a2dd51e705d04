# Makes mails with MIME::Entity and Email::Stuffer from the JSON on standard input: [{path, with, subject, text, file}].
use strict;
use warnings;
use Email::Stuffer;
use Encode qw(encode);
use JSON::PP;
use MIME::Entity;

for my $mail (@{ decode_json(do { local $/; <STDIN> }) }) {
    my ($from, $to) = ('Ann Miller <ann@example.org>', 'bob@example.org');
    my $content;
    if ($mail->{with} eq 'entity') {
        my $made = MIME::Entity->build(
            From => $from, To => $to, Subject => encode('MIME-Header', $mail->{subject}), Type => 'multipart/mixed',
        );
        $made->attach(Type => 'text/plain; charset=UTF-8', Data => encode('UTF-8', $mail->{text}), Encoding => 'quoted-printable');
        $made->attach(Path => $mail->{file}, Type => $mail->{type}, Encoding => 'base64', Disposition => 'attachment');
        $content = $made->stringify;
    } else {
        my $made = Email::Stuffer->from($from)->to($to)->subject($mail->{subject})->text_body($mail->{text});
        $made->html_body("<p>$mail->{text}</p>");
        $made->attach_file($mail->{file});
        $content = $made->as_string;
    }
    open my $out, '>:raw', $mail->{path} or die "$mail->{path}: $!";
    print {$out} $content;
    close $out;
}
