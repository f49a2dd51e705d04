import type { Command } from '../program/command.ts';
import { completionScript, SHELLS } from '../program/completion.ts';
import { CommandError } from '../terminal/command-error.ts';

/**
 * The command that prints a completion script.
 * @param commands all commands, this one too
 */
export function completionOf(commands: () => Readonly<Record<string, Command>>): Command {
  return {
    section: 'computer',
    summary: 'print a script that completes commands and options in a shell',
    about: `Prints a script with which bash, zsh or fish completes the commands and the options of the client.`,
    options: {},
    operand: { name: 'shell' },
    notes: `bash: add eval "$(memory completion bash)" to ~/.bashrc.

zsh: add eval "$(memory completion zsh)" to ~/.zshrc, after compinit.

fish: save the script as ~/.config/fish/completions/memory.fish.`,
    async run(_values, operand) {
      const shell = SHELLS.find((each) => each === operand);
      if (shell === undefined) throw new CommandError(`expected one of ${SHELLS.join(', ')} (see --help)`);
      const script = completionScript(shell, commands());
      return { text: script, data: { shell, script } };
    },
  };
}
