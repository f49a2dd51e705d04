/** The exit codes of the terminal client. */
export const EXIT_CODES = {
  done: { code: 0, meaning: 'the command did what was asked' },
  failed: {
    code: 1,
    meaning:
      'it failed, or was not complete; the reason is one line on standard error that begins with memory:',
  },
  // What a shell reports for a command that Ctrl-C ended.
  interrupted: { code: 130, meaning: 'Ctrl-C ended it' },
} as const;
