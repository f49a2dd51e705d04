import { askService, describeFailure } from '../shared/ask-service.js';
import { show, tell } from '../shared/page-text.js';
import { findSession, keepSession } from '../shared/session.js';
import { forgetLinkToken, INCOMPLETE, readLinkToken } from './one-time-link.js';
import { closeForm, complain, offerRetry, onSubmit, openForm } from './password-form.js';
import { hideSession, showSession } from './session-view.js';

/** Which field of the form the service speaks of. */
const FIELDS = { '/name': 'name', '/password': 'password', '/newPassword': 'password' };

const about = document.getElementById('about');

/**
 * Runs a page that a one-time link leads to: from the link by way of the form to a session in this tab, and from
 * there on, without a link, to that session again. What the link is for is asked before the form is shown, so that
 * nobody fills it in for a link that is worth nothing.
 * @param page.name of the page, as in its address
 * @param page.kind of the links that lead here
 * @param page.about what such a link is for, as nodes and texts
 * @param page.route that takes the token
 * @param page.body what to send there, of `token`, what was typed, and the link
 * @param page.done title and text for when it has worked
 * @param page.deadLinks title and text by error code, for a link that is worth nothing
 * @param page.refusals the field (null: all of the form) and the text by error code, for what can be mended
 */
export function runLinkPage(page) {
  const { title } = document;
  let token = null;
  let link = null;

  async function begin() {
    token = readLinkToken(page.name);
    hideSession();
    closeForm();
    offerRetry(null);
    show('One moment');
    if (token !== null) {
      await openLink(token);
      return;
    }
    const { session, problem } = await findSession();
    // A link was opened before the answer came.
    if (token !== null) return;
    if (session !== null) showSession('You are signed in', '', session);
    else if (problem !== undefined) tell('Your session cannot be shown now', problem);
    else tell(...INCOMPLETE);
  }

  async function openLink(opened) {
    const reply = await askService('POST', 'v1/auth/link', { body: { token: opened } });
    // Another link was opened before the answer came.
    if (token !== opened) return;
    if (reply.status === 200) {
      // One that leads to another page is as unknown here as any.
      if (reply.answer.kind !== page.kind) {
        end(page.deadLinks.get('not_found'));
        return;
      }
      link = reply.answer;
      about.replaceChildren(...page.about(link));
      show(title);
      openForm(link.kind !== 'reset' && link.hasAccount);
      return;
    }
    const dead = deadLink(reply);
    if (dead !== undefined) {
      end(dead);
    } else {
      tell('The link cannot be checked now', describeFailure(reply));
      offerRetry(begin);
    }
  }

  /** Title and text for a link that is worth nothing; undefined where the refusal has another reason. */
  function deadLink({ answer }) {
    // A token that no link of the service holds is refused before it is looked up.
    return page.deadLinks.get(answer?.errors?.[0]?.path === '/token' ? 'not_found' : answer?.code);
  }

  function end(dead) {
    finish();
    tell(...dead);
  }

  /** The end of the link: what is shown next is no longer about it. */
  function finish() {
    token = null;
    link = null;
    forgetLinkToken(page.name);
    closeForm();
    about.replaceChildren();
  }

  function refuse({ status, answer, retryAfter }) {
    const code = answer?.code;
    const fault = answer?.errors?.[0];
    const dead = deadLink({ answer });
    const refusal = page.refusals.get(code);
    if (dead !== undefined) {
      end(dead);
    } else if (refusal !== undefined) {
      complain(...refusal);
    } else if (status === 400) {
      complain(FIELDS[fault?.path] ?? null, `This was not accepted. ${answer?.detail ?? ''}`);
    } else {
      complain(null, describeFailure({ status, retryAfter }));
    }
  }

  async function send(typed) {
    const sent = token;
    const reply = await askService('POST', page.route, { body: page.body({ token, ...typed, link }) });
    const worked = reply.status === 200 || reply.status === 201;
    if (worked) keepSession(reply.answer.token);
    // Another link was opened before the answer came: the form is for that one now.
    if (token !== sent) return;
    if (worked) {
      finish();
      showSession(...page.done, reply.answer);
    } else {
      refuse(reply);
    }
  }

  onSubmit(send);
  // Another link opened in this tab changes the fragment only: the browser does not load the page again.
  addEventListener('hashchange', begin);
  void begin();
}
