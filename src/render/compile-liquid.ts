// Compiles templates into plain functions from what LiquidJS parsed. LiquidJS renders through nested generators,
// because any value might be a promise; that took half the time of a digest. Our views hold no promises, so text,
// names, if, for, render and layout are compiled, in an operator's templates as in ours. LiquidJS renders a file with
// anything else in it, and one that fails: its error gives the reason and the line.
import {
  BlockTag,
  CommentTag,
  Context,
  evalToken,
  ForTag,
  IfTag,
  InlineCommentTag,
  LayoutTag,
  type Liquid,
  LookupType,
  Output,
  RenderTag,
  type Template,
  type Token,
  TypeGuards,
  toValue,
  toValueSync,
  UnlessTag,
  Value,
} from 'liquidjs';

/** Names a template can print. Without a prototype, so that `constructor` is not a name. */
type Scope = Record<string, unknown>;
type Print = (scope: Scope) => string;
type Read = (scope: Scope) => unknown;
/** The contents of a layout's blocks, by block name. */
type Blocks = ReadonlyMap<string, Print>;

/** Thrown when LiquidJS has to render the template. Callers never see it. */
const LEFT = new Error('left to LiquidJS');

const NO_BLOCKS: Blocks = new Map();

/**
 * Renders the templates of `liquid` by name. Returns what {@link Liquid.renderFileSync} returns, or undefined when
 * you have to call that instead: for a template with a tag that is not compiled, and for any error.
 */
export function compileLiquid(liquid: Liquid): (name: string, view: object) => string | undefined {
  const escapes = liquid.options.outputEscape !== undefined;
  const roots = new Map<string, Print | undefined>();
  const partials = new Map<string, Print>();

  const context = (scope: Scope) => new Context(scope, liquid.options, { sync: true }, { liquid });

  /** Plain names are looked up directly. LiquidJS evaluates everything else. */
  function reader(token: Token): Read {
    const names = namesIn(token);
    if (names) return (scope) => find(scope, names);
    return (scope) => toValueSync(evalToken(token, context(scope)) as Generator<unknown, unknown, unknown>);
  }

  /** The same for a value with its filters. `own`: the number of filters when the template names none. */
  function valueReader(value: Value, own = 0): Read {
    const names = value.filters.length === own ? nameOf(value) : undefined;
    if (names) return (scope) => find(scope, names);
    return (scope) => toValue(toValueSync(value.value(context(scope), liquid.options.lenientIf)));
  }

  function output(value: Value): Print {
    // The engine adds its escape filter last to everything that is printed.
    const isName = value.filters.length === (escapes ? 1 : 0) && nameOf(value) !== undefined;
    const read = valueReader(value, escapes ? 1 : 0);
    return escapes && isName ? (scope) => escaped(shown(read(scope))) : (scope) => shown(read(scope));
  }

  function choice(tag: IfTag | UnlessTag, blocks: Blocks | undefined): Print {
    const branches = tag.branches.map(({ value, templates }, index) => ({
      read: valueReader(value),
      // The first condition of `unless` is negated.
      wanted: !(tag instanceof UnlessTag && index === 0),
      print: list(templates, blocks),
    }));
    const otherwise = list(tag.elseTemplates ?? [], blocks);
    return (scope) => {
      for (const { read, wanted, print } of branches) if (isTrue(read(scope)) === wanted) return print(scope);
      return otherwise(scope);
    };
  }

  function loop(tag: ForTag, blocks: Blocks | undefined): Print {
    const { variable } = tag;
    if (Object.keys(tag.hash.hash).length > 0) throw LEFT;
    const read = reader(tag.collection);
    const print = list(tag.templates, blocks);
    const otherwise = list(tag.elseTemplates, blocks);
    return (scope) => {
      const items = itemsOf(read(scope));
      if (items.length === 0) return otherwise(scope);
      const outer = scope[variable];
      let text = '';
      for (const item of items) {
        scope[variable] = item;
        text += print(scope);
      }
      scope[variable] = outer;
      return text;
    };
  }

  function partial(name: string): Print {
    const known = partials.get(name);
    if (known) return known;
    // Set before it is compiled, because a template may render itself.
    let print: Print = () => {
      throw LEFT;
    };
    partials.set(name, (scope) => print(scope));
    print = list(liquid.parseFileSync(name, LookupType.Partials), NO_BLOCKS);
    partials.set(name, print);
    return print;
  }

  /**
   * `{% render 'file', name: value %}` and `{% render 'file' for list as item %}`: the scope holds only the given
   * values.
   */
  function render(tag: RenderTag): Print {
    const called = tag.partialScope();
    if (!called) throw LEFT;
    const values = [...tag.arguments()];
    const names = [...called.scope];
    if (values.length !== names.length) throw LEFT;
    const isLoop = /^\{%-?\s*render\s+(?:'[^']*'|"[^"]*")\s+for\s+\S+\s+as\s/u.test(tag.token.getText());
    const aliases = names.filter((one) => typeof one !== 'string');
    if (aliases.length !== (isLoop ? 1 : 0)) throw LEFT;
    const reads = values.map((value) => {
      if (value instanceof Value) throw LEFT;
      return reader(value);
    });
    const print = partial(called.name);
    const inner = (scope: Scope): Scope => {
      const made: Scope = Object.create(null);
      names.forEach((one, index) => {
        if (typeof one === 'string') made[one] = (reads[index] as Read)(scope);
      });
      return made;
    };
    const [alias] = aliases[0] ?? [];
    if (typeof alias !== 'string') return (scope) => print(inner(scope));
    const read = reads[names.length - 1] as Read;
    return (scope) => {
      const made = inner(scope);
      let text = '';
      for (const item of itemsOf(read(scope))) {
        made[alias] = item;
        text += print(made);
      }
      return text;
    };
  }

  /**
   * In a template with a layout, text outside the blocks is not printed. The blocks of the innermost template win.
   */
  function layout({ file, args, templates }: LayoutTag, blocks: Blocks): Print {
    if (typeof file !== 'string' || Object.keys(args.hash).length > 0) throw LEFT;
    const own = new Map<string, Print>();
    for (const one of templates) {
      if (one instanceof BlockTag && one.block !== '' && !own.has(one.block))
        own.set(one.block, list(one.templates, undefined));
      else if (!(TypeGuards.isHTMLToken(one.token) || isComment(one))) throw LEFT;
    }
    return list(liquid.parseFileSync(file, LookupType.Layouts), new Map([...own, ...blocks]));
  }

  /**
   * `blocks` is undefined within a block of a template with a layout, where another block would be one of the
   * layout's.
   */
  function part(template: Template, blocks: Blocks | undefined): Print {
    if (TypeGuards.isHTMLToken(template.token)) {
      const text = template.token.getContent();
      return () => text;
    }
    if (template instanceof Output) return output(template.value);
    if (template instanceof IfTag || template instanceof UnlessTag) return choice(template, blocks);
    if (template instanceof ForTag) return loop(template, blocks);
    if (template instanceof RenderTag) return render(template);
    if (isComment(template)) return () => '';
    if (template instanceof LayoutTag && blocks) return layout(template, blocks);
    if (template instanceof BlockTag && blocks && template.block !== '')
      return blocks.get(template.block) ?? list(template.templates, blocks);
    throw LEFT;
  }

  function list(templates: readonly Template[], blocks: Blocks | undefined): Print {
    const parts = templates.map((template) => part(template, blocks));
    const [only = () => ''] = parts;
    if (parts.length < 2) return only;
    return (scope) => {
      let text = '';
      for (const print of parts) text += print(scope);
      return text;
    };
  }

  function root(name: string): Print | undefined {
    if (roots.has(name)) return roots.get(name);
    let print: Print | undefined;
    try {
      print = list(liquid.parseFileSync(name), NO_BLOCKS);
    } catch {
      print = undefined;
    }
    roots.set(name, print);
    return print;
  }

  return (name, view) => {
    try {
      return root(name)?.(Object.assign(Object.create(null), view));
    } catch {
      return undefined;
    }
  };
}

function isComment(template: Template): boolean {
  return template instanceof CommentTag || template instanceof InlineCommentTag;
}

/** The value under a name. Leaves a missing value, and one that is not plain data, to LiquidJS. */
function find(scope: Scope, names: readonly string[]): unknown {
  let value: unknown = scope;
  for (const name of names) {
    if (value === null) return null;
    if (typeof value !== 'object' || !Object.hasOwn(value as object, name)) throw LEFT;
    value = (value as Scope)[name];
    if (value === undefined || typeof value === 'function') throw LEFT;
  }
  return value;
}

function itemsOf(value: unknown): readonly unknown[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw LEFT;
  return value;
}

function isTrue(value: unknown): boolean {
  return value !== false && value !== null && value !== undefined;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.map(shown).join('') : String(value);
}

function escaped(text: string): string {
  if (!/[&<>"']/u.test(text)) return text;
  let out = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = escapeOf(text.charCodeAt(at));
    if (sign === undefined) continue;
    out += text.slice(from, at) + sign;
    from = at + 1;
  }
  return out + text.slice(from);
}

/** How a character is written in HTML; undefined for one that needs no escape. */
function escapeOf(code: number): string | undefined {
  if (code === 38) return '&amp;';
  if (code === 60) return '&lt;';
  if (code === 62) return '&gt;';
  if (code === 34) return '&#34;';
  return code === 39 ? '&#39;' : undefined;
}

/** The names in an expression such as `card.title`; undefined for an expression that has to be evaluated. */
function nameOf({ initial }: Value): readonly string[] | undefined {
  const [token, ...more] = initial.postfix;
  return token && more.length === 0 ? namesIn(token) : undefined;
}

function namesIn(token: Token): readonly string[] | undefined {
  if (!TypeGuards.isPropertyAccessToken(token) || token.variable) return undefined;
  const names = token.props.map((part) => ('content' in part ? part.content : undefined));
  return names.every((name) => typeof name === 'string') ? names : undefined;
}
