// The page with the access key of a person: whether there is one, what it may do, and a new key, which is shown once.
import type { Secret } from '../domain/secret.js';
import type { AccessKeyReport } from '../ports/services.js';
import { dayInWords } from './dates.js';
import { frameView, type ManageFrame } from './manage-view.js';
import { textsFor } from './texts.js';

/** `key`: a key that was just made. `url`: where programs use it, if that is known. */
export function accessView(
  report: AccessKeyReport | undefined,
  key: Secret | undefined,
  url: string | undefined,
  frame: ManageFrame,
) {
  const texts = textsFor(frame.locale);
  const { access } = texts.page;
  const { agent } = texts.bot;
  return {
    ...frameView(frame, texts),
    title: access.title,
    all: `${frame.base}/manage`,
    self: `${frame.base}/manage/access`,
    key: key?.reveal() ?? null,
    state: report
      ? access.since({ date: dayInWords(report.madeAt, frame.timezone, texts.intl) })
      : access.none,
    may: report ? (report.write ? agent.mayWrite : agent.mayRead) : null,
    where: report ? (url === undefined ? agent.whereUnknown : agent.where({ url })) : null,
    hasKey: report !== undefined,
  };
}
