import { askService, describeFailure } from '../shared/ask-service.js';
import { show, showAndFocus } from '../shared/page-text.js';
import { findSession, storeSession } from '../shared/session.js';
import { forgetLinkToken, INCOMPLETE, readLinkToken } from './one-time-link.js';
import { closeForm, offerRetry, onSubmit, openForm, showFault } from './password-form.js';
import { hideSession, showSession } from './session-view.js';

/** The field of the form for each path in an error of the service. */
const FIELDS = { '/name': 'name', '/password': 'password', '/newPassword': 'password' };

const about = document.getElementById('about');

/**
 * Runs the page of a one-time link. With a link, it shows the form, and then the session that the form creates in this
 * tab. Without a link, it shows the tab's session. The link is checked before the form is shown, so that nobody fills
 * in the form for an invalid link.
 * @param page.name the name of the page, as in its address
 * @param page.kind the kind of the links for this page
 * @param page.about returns the purpose of a link, as nodes and texts
 * @param page.route the route that accepts the token
 * @param page.body returns the request body, from `token`, the input and the link
 * @param page.done the title and text after success
 * @param page.deadLinks the title and text by error code, for links that cannot be used
 * @param page.refusals the field (null: the whole form) and the text by error code, for errors that a user can fix
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
    else if (problem !== undefined) showAndFocus('Your session cannot be shown now', problem);
    else showAndFocus(...INCOMPLETE);
  }

  async function openLink(opened) {
    const reply = await askService('POST', 'v1/auth/link', { body: { token: opened } });
    // Another link was opened before the answer came.
    if (token !== opened) return;
    if (reply.status === 200) {
      // A link for another page counts as unknown here.
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
      showAndFocus('The link cannot be checked now', describeFailure(reply));
      offerRetry(begin);
    }
  }

  /** The title and text for a link that cannot be used; undefined if the refusal has another reason. */
  function deadLink({ answer }) {
    // The service refuses a token of the wrong form before it looks it up.
    return page.deadLinks.get(answer?.errors?.[0]?.path === '/token' ? 'not_found' : answer?.code);
  }

  function end(dead) {
    finish();
    showAndFocus(...dead);
  }

  /** Ends the use of the link: the page then shows something else. */
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
      showFault(...refusal);
    } else if (status === 400) {
      showFault(FIELDS[fault?.path] ?? null, `This was not accepted. ${answer?.detail ?? ''}`);
    } else {
      showFault(null, describeFailure({ status, retryAfter }));
    }
  }

  async function send(typed) {
    const sent = token;
    const reply = await askService('POST', page.route, { body: page.body({ token, ...typed, link }) });
    const worked = reply.status === 200 || reply.status === 201;
    if (worked) storeSession(reply.answer.token);
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
