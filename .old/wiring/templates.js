import { readTemplates, sameFiles } from '../render/template-files.js';
/**
 * Opens the templates: the operator's where there is one, else the program's. Throws when the program's own are broken.
 */
export async function openTemplates(config, log) {
    const [{ createTemplates }, { sampleMails }, { samplePages }] = await Promise.all([
        import('../render/templates.js'),
        import('../render/samples.js'),
        import('../render/sample-pages.js'),
    ]);
    return createTemplates({
        dirs: [config.programDirs.templates, config.dirs.templates],
        log,
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
export function templatesOnDemand(config, log) {
    let opened;
    return () => {
        opened ??= openTemplates(config, log);
        return opened;
    };
}
/** Whether the operator has changed templates: these may be broken, which the start should report. */
export function hasOwnTemplates({ programDirs, dirs }) {
    const own = readTemplates([programDirs.templates]);
    return !sameFiles(own, readTemplates([programDirs.templates, dirs.templates]));
}
//# sourceMappingURL=templates.js.map