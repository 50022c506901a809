// A page that looks like Discord, drawn from a message as the local Discord stored it. The style is our own.
import type { Json, MessageRecord } from '../helpers/discord/types.js';
import { html, markdown, type Names } from './discord-markdown.js';

const STYLE = `
* { box-sizing: border-box; margin: 0; }
body { background: #313338; color: #dbdee1; font: 16px/1.375 Inter, 'Noto Sans', 'Noto Color Emoji', sans-serif; }
#shot { width: 100%; padding: 20px 24px 22px; }
.used { display: flex; align-items: center; gap: 6px; margin: 0 0 4px 28px; padding-left: 34px; font-size: 14px; color: #b5bac1; position: relative; }
.used::before { content: ''; position: absolute; left: -8px; top: 9px; width: 34px; height: 12px; border: 2px solid #4e5058; border-right: 0; border-bottom: 0; border-top-left-radius: 6px; }
.used b { color: #f2f3f5; font-weight: 500; } .used .cmd { color: #a9b4ff; }
.message { display: flex; gap: 16px; }
.face { flex: none; width: 40px; height: 40px; margin-top: 2px; border-radius: 50%; background: #2f9e6e; display: grid; place-items: center; font-size: 21px; }
.body { min-width: 0; }
.who { display: flex; align-items: center; gap: 7px; margin-bottom: 2px; } .who b { color: #f2f3f5; font-weight: 500; }
.app { padding: 1px 5px; border-radius: 3px; background: #5865f2; color: #fff; font-size: 11px; font-weight: 600; }
.at { color: #949ba4; font-size: 12px; }
.line { white-space: pre-wrap; }
.small { color: #a3a8b0; font-size: 13px; margin-top: 3px; } .quote { padding-left: 10px; border-left: 4px solid #4e5058; }
.mention { padding: 0 2px; border-radius: 3px; background: #3c4270; color: #c9cdfb; font-weight: 500; }
.time { padding: 0 2px; border-radius: 3px; background: #3f4248; }
code { padding: 1px 4px; border-radius: 4px; background: #1e1f22; font: 13px 'DejaVu Sans Mono', monospace; }
.embed { width: 560px; max-width: 100%; margin-top: 6px; padding: 12px 16px 14px 13px; border-left: 4px solid; border-radius: 4px; background: #2b2d31; font-size: 14.5px; }
.title { margin: 5px 0 6px; font-weight: 600; font-size: 16.5px; color: #f2f3f5; }
.embed .line { margin-top: 4px; } .foot { margin-top: 9px; font-size: 12px; color: #b5bac1; }
.row { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 9px; }
.button { display: flex; align-items: center; gap: 7px; height: 34px; padding: 0 15px; border-radius: 8px; background: #4e5058; color: #fff; font-size: 14px; font-weight: 500; }
.button.s1 { background: #5865f2; } .button.s3 { background: #248046; } .button.s4 { background: #da373c; }
.button.s5 { align-self: flex-start; flex: none; }
.text { min-width: 0; }
.box { width: 600px; max-width: 100%; margin-top: 8px; padding: 14px 16px; font-size: 15px; border: 1px solid #3f4147; border-left: 4px solid; border-radius: 8px; background: #2b2d31; }
.section { display: flex; gap: 16px; justify-content: space-between; }
.head { margin-bottom: 3px; font-weight: 600; font-size: 17px; color: #f2f3f5; }
.item { padding-left: 18px; position: relative; margin-top: 4px; } .item::before { content: '•'; position: absolute; left: 4px; }
.link { color: #00a8fc; }
.menu { display: flex; justify-content: space-between; width: 400px; padding: 9px 12px; border-radius: 8px; background: #1e1f22; color: #949ba4; font-size: 15px; }
.own { margin-top: 8px; font-size: 12px; color: #949ba4; } .own span { color: #00a8fc; }
`;

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function embed(one: Json, names: Names): string {
  return `<div class="embed" style="border-color:${colour(one.color)}">
<div class="title">${markdown(textOf(one.title), names)}</div>
${markdown(textOf(one.description), names)}
<div class="foot">${html(textOf((one.footer as Json | undefined)?.text))}</div></div>`;
}

function component(one: Json, names: Names): string {
  const inside = list(one.components)
    .map((part) => component(part, names))
    .join('');
  if (one.type === 1) return `<div class="row">${inside}</div>`;
  if (one.type === 9)
    return `<div class="section"><div>${inside}</div>${component(one.accessory as Json, names)}</div>`;
  if (one.type === 10) return `<div class="text">${markdown(textOf(one.content), names)}</div>`;
  if (one.type === 17)
    return `<div class="box" style="border-left-color:${colour(one.accent_color)}">${inside}</div>`;
  if (one.type !== 2) return `<div class="menu">${html(textOf(one.placeholder))}<span>⌄</span></div>`;
  const emoji = textOf((one.emoji as Json | undefined)?.name);
  const label = [emoji, textOf(one.label)].filter(Boolean).map((part) => `<span>${html(part)}</span>`);
  return `<div class="button s${Number(one.style)}">${label.join('')}${one.style === 5 ? ARROW : ''}</div>`;
}

function colour(value: unknown): string {
  return `#${Number(value ?? 0)
    .toString(16)
    .padStart(6, '0')}`;
}

/** The icon of a button that links out of Discord. */
const ARROW =
  '<svg width="16" height="16" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.4"><path d="M10 5H5v14h14v-5M13 4h7v7M20 4l-9 9"/></svg>';

/** The whole page; `command` is the command that it answers, or the button. */
export function discordPage(message: MessageRecord, names: Names, command?: string): string {
  return `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Discord</title><style>${STYLE}</style><div id="shot">
${command ? `<div class="used"><b>ada</b> used <span class="cmd">${html(command)}</span></div>` : ''}
<div class="message"><div class="face">📣</div><div class="body">
<div class="who"><b>Job crier</b><span class="app">APP</span><span class="at">Today at 09:12</span></div>
${message.content ? markdown(message.content, names) : ''}
${message.embeds.map((one) => embed(one, names)).join('')}
${message.components.map((one) => component(one, names)).join('')}
${message.ephemeral ? '<div class="own">👁 Only you can see this · <span>Dismiss message</span></div>' : ''}
</div></div></div></html>`;
}
