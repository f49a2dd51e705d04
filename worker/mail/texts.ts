import type { Letter } from '../../core/mail/attempts.ts';

/** The subject and both forms of a mail. */
export interface MailText {
  subject: string;
  text: string;
  html: string;
}

/** A paragraph. Names in it are put between its other parts. */
type Paragraph = readonly (string | { name: string })[];

/** A link, which is a button in HTML. */
interface LinkPart {
  label: string;
  url: string;
  /** What a person should know of it: for which Company it is, and until when. */
  about: Paragraph;
}

/** What a mail consists of. Both forms are made from it, so they say the same. */
interface Parts {
  subject: string;
  title: Paragraph;
  paragraphs: readonly Paragraph[];
  links: readonly LinkPart[];
  /** Why the person gets the mail, and what to do if they did not expect it. */
  footer: string;
}

/** The most characters of a name. */
const MAX_NAME = 80;

/**
 * The text of a name, which a stranger can have chosen: one line, not too long, without characters that turn the direction
 * of what follows, and with a break after each character that makes an address. So no mail program makes a link of it.
 */
function shownName(name: string): string {
  const line = name
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ')
    .trim();
  const characters = Array.from(line);
  const cut = characters.length > MAX_NAME ? `${characters.slice(0, MAX_NAME - 1).join('')}…` : line;
  return cut.replaceAll(/[.:/@\\]/g, '$&\u200b');
}

/** Writes a mail: what it says, as text and as HTML. */
export function writeMail(letter: Letter): MailText {
  const parts = partsOf(letter);
  return { subject: parts.subject, text: toText(parts), html: toHtml(parts) };
}

const named = (name: string) => ({ name });
const quoted = (name: string) => `“${shownName(name)}”`;
const until = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const ROLES = { owner: 'its Owner', admin: 'an Admin', member: 'a member' } as const;

function partsOf(letter: Letter): Parts {
  switch (letter.kind) {
    case 'invite': {
      const { team, company, invitedBy, role, expiresAt, url } = letter;
      const who: Paragraph = invitedBy === null ? ['You are invited'] : [named(invitedBy), ' invites you'];
      const where: Paragraph =
        team === null
          ? [` to become ${role === 'owner' ? 'the Owner' : 'an Admin'} of the Company `, named(company)]
          : [' to the Team ', named(team), ' of ', named(company), `, as ${ROLES[role]}`];
      return {
        subject: `Invitation to ${quoted(team ?? company)}`,
        title: team === null ? ['Join ', named(company)] : ['Join ', named(team)],
        paragraphs: [
          [...who, ...where, '.'],
          ['What the people and agents of a Team learn is stored there, so that everyone in it can find it.'],
        ],
        links: [
          {
            label: 'Accept the invitation',
            url,
            about: [`The link works once, until ${until(expiresAt)}.`],
          },
        ],
        footer:
          'You get this mail because someone entered your address. If you do not know them, ignore it: without the link nothing happens.',
      };
    }
    case 'reset': {
      const { isAskedFor, links } = letter;
      return {
        subject: 'Set a new password',
        title: ['Set a new password'],
        paragraphs: [
          [
            isAskedFor
              ? 'Someone asked for a new password for the account with this address.'
              : 'An Owner of your Company made a link with which you can set a new password.',
          ],
          ...(links.length > 1
            ? [['This address has an account in several Companies. Each link is for one of them.']]
            : []),
        ],
        links: links.map(({ company, url, expiresAt }) => ({
          label: 'Set a new password',
          url,
          about: [
            'For your account in ',
            named(company),
            `. The link works once, until ${until(expiresAt)}.`,
          ],
        })),
        footer: isAskedFor
          ? 'If you did not ask for it, ignore this mail: your password stays as it is.'
          : 'If you do not need a new password, ignore this mail: your password stays as it is.',
      };
    }
    case 'token_expiry': {
      const { token, team, company, expiresAt, url } = letter;
      return {
        subject: `Agent token ${quoted(token)} expires soon`,
        title: ['An agent token expires soon'],
        paragraphs: [
          [
            'Your agent token ',
            named(token),
            ' for the Team ',
            named(team),
            ' of ',
            named(company),
            ` expires on ${until(expiresAt)}. Programs that use it are refused then.`,
          ],
          ['If you still need it, make a new one before, and give it to these programs.'],
        ],
        links: [{ label: 'Open your agent tokens', url, about: ['The page asks you to sign in.'] }],
        footer: 'You get this mail once for each agent token of yours, because you made the token.',
      };
    }
    case 'test':
      return {
        subject: 'Test mail',
        title: ['Mail works'],
        paragraphs: [
          [
            'An Owner of ',
            named(letter.company),
            ' had this mail sent to themselves. The service can send invites and links for new passwords.',
          ],
        ],
        links: [],
        footer: 'You get this mail because you pressed “Send a test mail”.',
      };
  }
}

const SENDER = 'Team memory';

function toText({ title, paragraphs, links, footer }: Parts): string {
  const plain = (paragraph: Paragraph) =>
    paragraph.map((part) => (typeof part === 'string' ? part : quoted(part.name))).join('');
  const blocks = [
    plain(title),
    ...paragraphs.map(plain),
    ...links.map(({ label, url, about }) => `${label}:\n${url}\n${plain(about)}`),
    `-- \n${SENDER}. ${footer}`,
  ];
  return `${blocks.join('\n\n')}\n`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/*
 * Mail programs read little CSS: styles are inline, boxes are tables, and the colours of the dark look are in a style element
 * that some programs leave out. They show the light look then.
 */
const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const STYLE = `:root{color-scheme:light dark;supported-color-schemes:light dark}
a{color:#1d4ed8}
@media (prefers-color-scheme:dark){
.page{background:#111315!important}
.card{background:#1b1e21!important;border-color:#33383d!important}
.ink{color:#eceef0!important}
.soft{color:#a9b0b7!important}
.line{border-color:#33383d!important}
.button{background:#eceef0!important;color:#111315!important}
a{color:#8ab4ff}
}`;

function toHtml({ subject, title, paragraphs, links, footer }: Parts): string {
  const marked = (paragraph: Paragraph) =>
    paragraph
      .map((part) =>
        typeof part === 'string'
          ? escaped(part)
          : `<bdi style="font-weight:600">${escaped(shownName(part.name))}</bdi>`,
      )
      .join('');
  const body = paragraphs.map(
    (paragraph) =>
      `<p class="ink" style="margin:0 0 16px;${FONT};font-size:16px;line-height:24px;color:#1b1e21">${marked(paragraph)}</p>`,
  );
  const buttons = links.map(
    ({ label, url, about }) =>
      `<p style="margin:8px 0 12px"><a class="button" href="${escaped(url)}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#1b1e21;color:#ffffff;${FONT};font-size:16px;font-weight:600;line-height:20px;text-decoration:none">${escaped(label)}</a></p>
<p class="soft" style="margin:0 0 24px;${FONT};font-size:14px;line-height:20px;color:#5b636b">${marked(about)}<br>If the button does not work, open this address:<br><a href="${escaped(url)}" style="word-break:break-all">${escaped(url)}</a></p>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(subject)}</title>
<style>${STYLE}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f4f5f6">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f4f5f6"><tr><td align="center" style="padding:32px 16px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px;background:#ffffff;border:1px solid #dfe2e5;border-radius:12px"><tr><td style="padding:32px">
<p class="soft" style="margin:0 0 24px;${FONT};font-size:14px;line-height:20px;font-weight:600;color:#5b636b">${SENDER}</p>
<h1 class="ink" style="margin:0 0 16px;${FONT};font-size:24px;line-height:32px;font-weight:600;color:#1b1e21">${marked(title)}</h1>
${[...body, ...buttons].join('\n')}
<p class="soft line" style="margin:24px 0 0;padding-top:16px;border-top:1px solid #dfe2e5;${FONT};font-size:13px;line-height:20px;color:#5b636b">${escaped(footer)}</p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}
