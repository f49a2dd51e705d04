const [heading, message] = ['heading', 'message'].map((id) => document.getElementById(id));

/** Sets the title and the text of the page. Text is never parsed as HTML. */
export function show(title, text = '') {
  heading.textContent = title;
  document.title = title;
  message.textContent = text;
  message.hidden = text === '';
}

/** Like `show`, and moves the focus to the heading, so that screen readers read it. */
export function showAndFocus(title, text) {
  show(title, text);
  heading.focus();
}
