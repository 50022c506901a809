// The view of the page that adds and changes subscriptions by text in the form of the subscriptions file.
import type { Imported } from '../ports/admin-service.js';
import type { PreviewReport } from '../ports/services.js';
import { type AdminFrame, frameView } from './admin-frame.js';
import { previewView } from './admin-subscription.js';
import { listOf } from './describe.js';
import { textsFor } from './texts.js';

/** What was typed, and what came of it. `faults`: one for each line. `preview`: what a single entry finds now. */
export interface EntriesOutcome {
  readonly text: string;
  readonly faults?: readonly string[];
  readonly checked?: Imported;
  readonly preview?: PreviewReport;
}

export function entriesView(frame: AdminFrame, { text, faults = [], checked, preview }: EntriesOutcome) {
  const texts = textsFor(frame.locale);
  const { entries } = texts.page.admin;
  const ids = (list: readonly string[]) => listOf(list, texts.intl, 'conjunction');
  const would = checked
    ? [
        ...(checked.added.length > 0 ? [entries.adds({ ids: ids(checked.added) })] : []),
        ...(checked.changed.length > 0 ? [entries.changes({ ids: ids(checked.changed) })] : []),
        ...(checked.unchanged > 0 ? [entries.same({ count: checked.unchanged })] : []),
        ...(checked.added.length + checked.changed.length + checked.unchanged === 0 ? [entries.none] : []),
      ]
    : [];
  return {
    ...frameView(frame, entries.title),
    text,
    faults,
    would,
    preview: preview ? previewView(preview, frame) : null,
  };
}
