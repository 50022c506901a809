// LiquidJS reads `{{ card.title }}` through a dozen generators, one inside the other, because anything might be a
// promise; that was half of what a digest cost. Nothing in our views is awaited, so plain text and bare names are
// handled at once, in an operator's templates as in ours. All else, and every error, goes LiquidJS's own way.
import { type Context, type Emitter, Output, type Template, TypeGuards, toValueSync, Value } from 'liquidjs';

/** What the engine puts around everything that is printed; absent where texts are plain. */
type Escape = ((value: unknown) => string) | undefined;

/** Makes parsed templates quick, in place; what they print and how they fail stays the same. */
export function quicken(templates: readonly Template[], escaped: Escape): void {
  for (const template of templates) {
    // Partials and layouts are made quick when they are parsed themselves.
    const inner = template.children?.(false, true);
    if (inner) quicken(toValueSync(inner) as Template[], escaped);
    if (TypeGuards.isHTMLToken(template.token)) quickenText(template, template.token.getContent());
    else if (template instanceof Output) quickenOutput(template, escaped);
    else for (const part of template.arguments?.() ?? []) if (part instanceof Value) quickenValue(part);
  }
}

function quickenText(template: Template, text: string): void {
  template.render = (_context: Context, emitter: Emitter) => emitter.write(text);
}

function quickenOutput(output: Output, escaped: Escape): void {
  const { value } = output;
  const names = namesIn(value);
  // The engine's escape is the last filter of all that is printed.
  if (!names || value.filters.length !== (escaped ? 1 : 0)) return;
  const slow = output.render.bind(output);
  const render = (context: Context, emitter: Emitter): unknown => {
    const found = find(context, names);
    if (found === undefined) return slow(context, emitter);
    return emitter.write(escaped ? escaped.call({ context }, found) : found);
  };
  Object.assign(output, { render });
}

/** The condition of an `if`, what an `assign` takes. */
function quickenValue(value: Value): void {
  const names = namesIn(value);
  if (!names || value.filters.length > 0) return;
  const slow = value.value.bind(value);
  const quick = (context: Context, lenient?: boolean): unknown => {
    const found = find(context, names);
    return found === undefined ? slow(context, lenient) : found;
  };
  Object.assign(value, { value: quick });
}

/** What stands under a name; undefined where there is nothing or it fails: LiquidJS then says so, and in which line. */
function find(context: Context, names: string[]): unknown {
  try {
    return context.getSync(names);
  } catch {
    return undefined;
  }
}

/** `card.title` as its names; undefined for anything that has to be worked out first. */
function namesIn({ initial }: Value): string[] | undefined {
  const [token, ...more] = initial.postfix;
  if (more.length > 0 || !TypeGuards.isPropertyAccessToken(token) || token.variable) return undefined;
  const names = token.props.map((part) => ('content' in part ? part.content : undefined));
  return names.every((name) => typeof name === 'string') ? names : undefined;
}
