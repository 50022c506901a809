// The templates of mails and pages: compiled once per process, when the first one is needed.
import type { Config } from '../config.js';
import type { Log } from '../ports/system.js';
import { readTemplates, sameFiles } from '../render/template-files.js';
import type { Templates } from '../render/templates.js';

/**
 * Opens the templates: the operator's where there is one, else the program's. Throws when the program's own are broken.
 */
export async function openTemplates(config: Config, log: Log): Promise<Templates> {
  const [{ createTemplates }, { sampleMails }, { samplePages }] = await Promise.all([
    import('../render/templates.js'),
    import('../render/samples.js'),
    import('../render/sample-pages.js'),
  ]);
  return createTemplates({
    dirs: [config.programDirs.templates, config.dirs.templates],
    log,
    brand: config.brand,
    // Made only when templates are tried on them, because that takes a while.
    samples: {
      get mails() {
        return sampleMails();
      },
      get pages() {
        return samplePages();
      },
    },
  });
}

/** Returns a function that opens the templates at its first call and returns the same ones at every call. */
export function templatesOnDemand(config: Config, log: Log): () => Promise<Templates> {
  let opened: Promise<Templates> | undefined;
  return () => {
    opened ??= openTemplates(config, log);
    return opened;
  };
}

/** Whether the operator has changed templates: these may be broken, which the start should report. */
export function hasOwnTemplates({ programDirs, dirs }: Config): boolean {
  const own = readTemplates([programDirs.templates]);
  return !sameFiles(own, readTemplates([programDirs.templates, dirs.templates]));
}
