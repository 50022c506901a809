// The templates of mails and pages: compiled once for a process, when the first of them is wanted.
import type { Config } from '../config.js';
import type { Log } from '../ports/system.js';
import { readTemplates, sameFiles } from '../render/template-files.js';
import type { Templates } from '../render/templates.js';

/** The program's templates under the operator's; what recipients see. Throws when the program's own do not work. */
export async function openTemplates(config: Config, log: Log): Promise<Templates> {
  const [{ createTemplates }, { sampleMails }, { samplePages }] = await Promise.all([
    import('../render/templates.js'),
    import('../render/samples.js'),
    import('../render/sample-pages.js'),
  ]);
  return createTemplates({
    dirs: [config.programDirs.templates, config.dirs.templates],
    log,
    // Made where templates are tried on them: that takes a while.
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

/** Gives the same templates to everyone who asks; they are opened for the first one. */
export function templatesOnDemand(config: Config, log: Log): () => Promise<Templates> {
  let opened: Promise<Templates> | undefined;
  return () => {
    opened ??= openTemplates(config, log);
    return opened;
  };
}

/** Whether the operator has templates of their own: these may be broken, and a start should say so. */
export function hasOwnTemplates({ programDirs, dirs }: Config): boolean {
  const own = readTemplates([programDirs.templates]);
  return !sameFiles(own, readTemplates([programDirs.templates, dirs.templates]));
}
