import { askService, describeFailure } from './ask-service.js';
import { forgetLinkToken, INCOMPLETE, takeLinkToken } from './one-time-link.js';
import { show, tell } from './page-text.js';
import { closeForm, complain, onSubmit, openForm } from './password-form.js';
import { findSession, keepSession } from './session.js';
import { hideSession, showSession } from './session-view.js';

/** Which field of the form the service speaks of. */
const FIELDS = { '/name': 'name', '/password': 'password', '/newPassword': 'password' };

/**
 * Runs a page that a one-time link leads to: from the link by way of the form to a session in this tab, and from
 * there on, without a link, to that session again.
 * @param page.name of the page, as in its address
 * @param page.route that takes the token
 * @param page.body what to send there, of `token` and what was typed
 * @param page.done title and text for when it has worked
 * @param page.deadLinks title and text by error code, for a link that is worth nothing
 * @param page.refusals the field (null: all of the form) and the text by error code, for what can be mended
 */
export function runLinkPage(page) {
  const { title } = document;
  let token = null;

  async function begin() {
    token = takeLinkToken(page.name);
    hideSession();
    if (token !== null) {
      show(title);
      openForm();
      return;
    }
    closeForm();
    show('One moment');
    const { session, problem } = await findSession();
    // A link opened meanwhile.
    if (token !== null) return;
    if (session !== null) showSession('You are signed in', '', session);
    else if (problem !== undefined) tell('Your session cannot be shown now', problem);
    else tell(...INCOMPLETE);
  }

  /** The end of the link: what is shown next is not about it any more. */
  function finish() {
    token = null;
    forgetLinkToken(page.name);
    closeForm();
  }

  function refuse({ status, answer, retryAfter }) {
    const code = answer?.code;
    const fault = answer?.errors?.[0];
    // A token that no link of the service holds is refused before it is looked up.
    const dead = page.deadLinks.get(fault?.path === '/token' ? 'not_found' : code);
    const refusal = page.refusals.get(code);
    if (dead !== undefined) {
      finish();
      tell(...dead);
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
    const reply = await askService('POST', page.route, { body: page.body({ token, ...typed }) });
    const worked = reply.status === 200 || reply.status === 201;
    if (worked) keepSession(reply.answer.token);
    // Another link was opened meanwhile: the form is for that one now.
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
