import { ownCommand } from '../hooks/hook-options.ts';
import type { Command } from '../program/command.ts';

/** The shells that a script can be written for. */
const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/*
 * Each script runs `memory __complete` with the words of the command line up to the cursor; the last one is incomplete. The
 * first line of the answer is `words`, `files` or `folders`. With `words`, each further line is a candidate, a tab, and
 * what it is. Where no `memory` is on the path, the program that wrote the script is run.
 */

/** Bash divides words at : and = too, so they are put together again, and only the last piece is inserted. */
const bashScript = (own: string) => `# Completion of memory for bash.
_memory_candidates() {
  if type -P memory >/dev/null; then memory __complete "$@"; else ${own} __complete "$@"; fi 2>/dev/null
}
_memory() {
  local i piece='' rest="\${COMP_LINE:0:\${COMP_POINT:-0}}" words=() plain=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    piece="\${COMP_WORDS[i]}"
    if [[ -n "$COMP_LINE" && $i -gt 0 && "$rest" != [[:space:]]* ]]; then
      [[ $i -lt $COMP_CWORD ]] || piece="$rest"
      words[\${#words[@]}-1]+="$piece"
    else
      rest="\${rest#"\${rest%%[![:space:]]*}"}"
      [[ -z "$COMP_LINE" || $i -lt $COMP_CWORD ]] || piece="$rest"
      words+=("$piece")
    fi
    rest="\${rest#"$piece"}"
  done
  for i in "\${words[@]}"; do plain+=("\${i//[\\\\\\"\\']/}"); done
  local current="\${words[\${#words[@]}-1]}" kind='' word
  [[ "$piece" != [:=] ]] || piece=''
  local before="\${current%"$piece"}"
  COMPREPLY=()
  while IFS= read -r word; do
    if [[ -z "$kind" ]]; then
      kind="$word"
      continue
    fi
    word="\${word%%$'\\t'*}"
    word="\${word#"$before"}"
    [[ "$current" == [\\"\\']* ]] || printf -v word '%q' "$word"
    COMPREPLY+=("$word")
  done < <(_memory_candidates "\${plain[@]:1}")
  case "$kind" in
    files) ;;
    folders) compopt -o dirnames +o default 2>/dev/null ;;
    *) compopt +o default 2>/dev/null ;;
  esac
  return 0
}
complete -o default -F _memory memory
`;

const zshScript = (own: string) => `#compdef memory
# Completion of memory for zsh.
_memory_candidates() {
  if (( \${+commands[memory]} )); then memory __complete "$@"; else ${own} __complete "$@"; fi 2>/dev/null
}
_memory() {
  local -a lines candidates
  local line
  lines=("\${(@f)$(_memory_candidates "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}")}")
  case "$lines[1]" in
    files) _files ;;
    folders) _files -/ ;;
    words)
      for line in "\${(@)lines[2,-1]}"; do
        candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
      done
      _describe 'memory' candidates ;;
  esac
}
if [ "$funcstack[1]" = '_memory' ]; then _memory "$@"; else compdef _memory memory; fi
`;

const fishScript = (own: string) => `# Completion of memory for fish.
function __memory_candidates
  if type -q memory
    memory __complete $argv 2>/dev/null
  else
    ${own} __complete $argv 2>/dev/null
  end
end
function __memory_complete
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  set -l plain (string unescape -- $current)
  or set plain $current
  set -l lines (__memory_candidates $before[2..-1] "$plain")
  switch "$lines[1]"
    case files
      __fish_complete_path $current
    case folders
      __fish_complete_directories $current
    case words
      printf '%s\\n' $lines[2..-1]
  end
end
complete -c memory -f -a '(__memory_complete)'
`;

const SCRIPTS: Readonly<Record<Shell, (own: string) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** A script that completes what is typed in a shell. */
function completionScript(shell: Shell): string {
  return SCRIPTS[shell](ownCommand()).trimEnd();
}

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
