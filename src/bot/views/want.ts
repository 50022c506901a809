// How a wish in one sentence was understood, below the answer of the command.
import type { Filter } from '../../domain/filter.js';
import { escaped } from '../../render/discord/escape.js';
import { backtestText, wantLines } from '../../render/want-view.js';
import type { Context, Request } from '../runtime/request.js';

/** A line for each stretch of the sentence, and what its rule would have found lately. None without a sentence. */
export async function wantNotes(
  { want }: { readonly want?: string },
  filter: Filter,
  request: Request,
  { services }: Context,
): Promise<readonly string[]> {
  if (!want) return [];
  const { locale, caller } = request;
  const backtest = backtestText(await services.estimate(caller, filter), locale, escaped);
  return [...wantLines(want, locale, escaped), ...(backtest ? [`📊 ${backtest}`] : [])];
}
