import type { Command } from 'commander';
import { type Stop, stopsOf, type Values, type Word } from './stops.js';

export type CompletionShell = 'bash' | 'zsh' | 'fish';

export function isShell(name: string): name is CompletionShell {
  return name in SCRIPTS;
}

const SCRIPTS: Readonly<Record<CompletionShell, (stops: readonly Stop[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The script that a shell reads to complete the program's commands, options and what those take. */
export function completionScript(shell: CompletionShell, program: Command): string {
  return SCRIPTS[shell](stopsOf(program));
}

function bashScript(stops: readonly Stop[]): string {
  const offer = (words: string) => `COMPREPLY=($(compgen -W "${words}" -- "$cur"))`;
  const action = (values: Values) => {
    if (values === 'files' || values === 'anything') return 'return';
    return `${offer(isListed(values) ? values.join(' ') : `$(${namesOf(values)} | cut -f 1)`)}; return`;
  };
  const wordsOf = ({ commands, options }: Stop) =>
    [...commands, ...options].map(({ text }) => text).join(' ');
  return `# bash completion of pwpool
_pwpool() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at= word
  # bash takes the = of --pool=SHOP for a word.
  if [ "$cur" = = ]; then cur=; elif [ "$prev" = = ]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at/$word" in
      ${pathsOf(stops)}) at="$at/$word" ;;
    esac
  done
  case "$cur" in
    -*) ;;
    *) case "$at $prev" in
${valueCases(stops, action)}
    esac ;;
  esac
  case "$at" in
${stops.map((stop) => `    '${stop.path}') ${offer(wordsOf(stop))} ;;`).join('\n')}
  esac
}
complete -o default -F _pwpool pwpool`;
}

function zshScript(stops: readonly Stop[]): string {
  const action = (values: Values) => {
    if (values === 'anything') return 'return';
    if (values === 'files') return '_files; return';
    if (isListed(values)) return `compadd -- ${values.join(' ')}; return`;
    return `_pwpool_names ${values}; return`;
  };
  const described = ({ commands, options }: Stop) =>
    [...commands, ...options].map(({ text, help }) => quoted(`${text}:${help}`)).join(' ');
  return `#compdef pwpool
_pwpool_names() {
  local -a found=("\${(@f)$(${namesOf('$1')})}")
  found=("\${(@)found//:/\\\\:}")
  found=("\${(@)found/$'\\t'/:}")
  _describe $1 found
}
_pwpool() {
  local at= word cur=$words[CURRENT] prev=$words[CURRENT-1]
  local -a found
  if [[ $cur == --*=* ]]; then
    prev=\${cur%%=*} cur=\${cur#*=}
    compset -P '*='
  fi
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at/$word" in
      ${pathsOf(stops)}) at="$at/$word" ;;
    esac
  done
  if [[ $cur != -* ]]; then
    case "$at $prev" in
${valueCases(stops, action)}
    esac
  fi
  case "$at" in
${stops.map((stop) => `    '${stop.path}') found=(${described(stop)}) ;;`).join('\n')}
  esac
  _describe pwpool found || _files
}
# When zsh has loaded the file by itself, its first call is of the file as a whole.
if [ "$funcstack[1]" = _pwpool ]; then _pwpool "$@"; else compdef _pwpool pwpool; fi`;
}

function fishScript(stops: readonly Stop[]): string {
  const listed = (words: readonly Word[]) =>
    words.map(({ text, help }) => `-f -a ${text} -d ${quoted(help)}`);
  const taking = (values: Values) => {
    if (values === 'files') return '-r -F';
    if (values === 'anything') return '-x';
    return `-x -a ${quoted(isListed(values) ? values.join(' ') : `(${namesOf(values)})`)}`;
  };
  const lines = stops.flatMap(({ path, commands, options, argument }) => {
    const at = (last = '') => `complete -c pwpool -n '__pwpool_at "${path}"${last}'`;
    const first = argument === undefined || argument === 'files' ? [] : [taking(argument)];
    return [
      ...(argument === 'files' ? [] : [`${at()} -f`]),
      ...listed(commands).map((words) => `${at()} ${words}`),
      ...first.map((words) => `${at(` ${lastOf(path)}`)} ${words}`),
      ...options.map(({ text, help, values }) => {
        const value = values === undefined ? '' : ` ${taking(values)}`;
        return `${at()} -l ${text.replace(/^--/, '')}${value} -d ${quoted(help)}`;
      }),
    ];
  });
  return `# fish completion of pwpool
function __pwpool_at
  set -l words (commandline -opc)
  set -l at ''
  for word in $words[2..]
    switch "$at/$word"
      case ${pathsOf(stops, ' ')}
        set at "$at/$word"
    end
  end
  test "$at" = "$argv[1]"; and begin
    test (count $argv) = 1; or test "$words[-1]" = "$argv[2]"
  end
end
${lines.join('\n')}`;
}

/** A command that prints names, each with a tab and what it is. */
function namesOf(kind: string): string {
  return `pwpool completion ${kind} 2>/dev/null`;
}

function pathsOf(stops: readonly Stop[], separator = '|'): string {
  return stops.flatMap(({ path }) => (path === '' ? [] : [path])).join(separator);
}

/** What is done behind an option that takes a value, and behind a command that takes an argument. */
function valueCases(stops: readonly Stop[], action: (values: Values) => string): string {
  const places = new Map<string, string[]>();
  for (const { path, options, argument } of stops) {
    for (const { text, values } of [...options, { text: lastOf(path), values: argument }]) {
      if (values === undefined) continue;
      const done = action(values);
      places.set(done, [...(places.get(done) ?? []), `'${path} ${text}'`]);
    }
  }
  return [...places].map(([done, at]) => `      ${at.join('|')}) ${done} ;;`).join('\n');
}

/** A command's own word: what stands before its first argument. */
function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function isListed(values: Values): values is readonly string[] {
  return typeof values !== 'string';
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
