const [heading, message] = ['heading', 'message'].map((id) => document.getElementById(id));

/** Says what the page is about now. All of it is text: nothing of an answer is read as HTML. */
export function show(title, text = '') {
  heading.textContent = title;
  document.title = title;
  message.textContent = text;
  message.hidden = text === '';
}

/** The same with the focus on it, for those who hear the page: the last word, or where a session begins. */
export function tell(title, text) {
  show(title, text);
  heading.focus();
}
