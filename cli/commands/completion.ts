import { completionScript, SHELLS, type Shell } from '../completion/scripts.ts';
import type { Command } from '../program/command.ts';

export const completion: Command = {
  section: 'computer',
  summary: 'print a script that completes commands and their arguments in a shell',
  about: `Prints a script with which bash, zsh or fish completes what you type: commands, options and the values that they
can have, such as the names of your Teams, clients and profiles.`,
  options: {},
  operand: { name: 'shell', choices: SHELLS },
  notes: `bash: add eval "$(memory completion bash)" to ~/.bashrc.

zsh: add eval "$(memory completion zsh)" to ~/.zshrc, after compinit.

fish: save the script as ~/.config/fish/completions/memory.fish.

The script runs this program for each completion. Names of Teams, clients and tokens come from the service, if it answers
in time. A file .env of the folder is not read for that.`,
  async run(_values, operand) {
    const script = completionScript(operand as Shell);
    return { text: script, data: { shell: operand, script } };
  },
};
