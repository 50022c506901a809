// The part of Discord's markdown that the bot writes, as HTML, so that a picture shows what a reader would see.

export interface Names {
  /** Channel and role names by id. */
  readonly names: ReadonlyMap<string, string>;
  readonly now: number;
}

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function html(text: string): string {
  return text.replace(/[&<>"]/gu, (sign) => HTML[sign] as string);
}

/** "in 4 minutes", as Discord counts `<t:…:R>`. */
function relative(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  const steps = [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
    ['second', 1],
  ] as const;
  const [unit, size] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return new Intl.RelativeTimeFormat('en').format(Math.round(seconds / size), unit);
}

const INLINE =
  /\\(?<kept>[^\w\s])|<t:(?<time>\d+):R>|<#(?<channel>\d+)>|<@&(?<role>\d+)>|<\/(?<command>[^:>]+):\d+>|\*\*(?<bold>.+?)\*\*|`(?<code>[^`]+)`|\[(?<words>(?:\\.|[^\]\\])+)\]\(<[^>]+>\)/gu;

function inline(text: string, with_: Names): string {
  let done = '';
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    done += html(text.slice(end, match.index));
    end = match.index + match[0].length;
    const { kept, time, channel, role, command, bold, code, words } = match.groups ?? {};
    const name = (id: string) => html(with_.names.get(id) ?? 'unknown');
    if (kept) done += html(kept);
    else if (time) done += `<span class="time">${relative(Number(time) * 1000, with_.now)}</span>`;
    else if (channel) done += `<span class="mention">#${name(channel)}</span>`;
    else if (role) done += `<span class="mention">@${name(role)}</span>`;
    else if (command) done += `<span class="mention">/${html(command)}</span>`;
    else if (bold) done += `<b>${inline(bold, with_)}</b>`;
    else if (code) done += `<code>${html(code)}</code>`;
    else if (words) done += `<span class="link">${inline(words, with_)}</span>`;
  }
  return done + html(text.slice(end));
}

const KINDS: Readonly<Record<string, string>> = {
  '-# ': 'small',
  '> ': 'quote',
  '### ': 'head',
  '- ': 'item',
};

/** Lines of a message, a text display or an embed; `-# ` is small, `> ` a quote, `### ` a heading, `- ` in a list. */
export function markdown(text: string, with_: Names): string {
  return text
    .split('\n')
    .map((line) => {
      const [, mark = '', rest = ''] = /^(-# |> |### |- )?(.*)$/su.exec(line) ?? [];
      return `<div class="${KINDS[mark] ?? 'line'}">${inline(rest, with_)}</div>`;
    })
    .join('');
}
