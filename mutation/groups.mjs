// Which tests are run for a change in which files. A group is small, so that a run of it takes minutes.

/**
 * `long`: also the tests with this tag, which need a build.
 *
 * @type {Record<string, { files: readonly string[]; tests: readonly string[]; long?: boolean }>}
 */
export const groups = {
  ledger: {
    files: [
      'domain/{ledger,seen,outbox,parking,moving,backlog,match-counts,same-job,rule-change,reminders,stages}.ts',
    ],
    tests: [
      'domain/{ledger,outbox,moving,clock-back,rule-change,same-job,backlog,match-counts,edition,reminders,stages}.test.ts',
      'domain/seen.test.ts',
    ],
  },
  recognise: {
    files: ['domain/recognise.ts'],
    tests: ['domain/{recognise,ledger}.test.ts'],
  },
  times: {
    files: ['domain/{schedule,cadence,load,retry,request,limit}.ts'],
    tests: ['domain/{schedule,cadence,load,retry,request,limit}.test.ts'],
  },
  secrets: {
    files: ['domain/{redact-token,link-token,secret,access-key,session,errors}.ts'],
    tests: [
      'domain/{link-token,secret,redact-token,access-key,errors}.test.ts',
      'sources/redact-token.test.ts',
    ],
  },
  rules: {
    files: ['domain/{filter,pay,posting,enrich}.ts', 'domain/rules/*.ts'],
    tests: ['domain/{filter,pay,posting,enrich,fit}.test.ts', 'domain/rules/*.test.ts'],
  },
  wishes: {
    files: ['domain/{fit,wanted-pay,apply-by,edition,delivery}.ts'],
    tests: ['domain/{fit,pay,apply-by,edition}.test.ts', 'domain/rules/terms.test.ts'],
  },
  places: {
    files: ['domain/{countries,regions}.ts'],
    tests: ['domain/countries.test.ts', 'domain/rules/terms.test.ts'],
  },
  attribution: { files: ['domain/attribution.ts'], tests: ['domain/attribution.test.ts'] },
  values: {
    files: [
      'domain/{account,color,discord-id,file-fault,finding,input,ranking,remember,serial,subscription,tags,text,typos,word-list}.ts',
    ],
    tests: [
      'domain/{account,color,discord-id,file-fault,finding,input,pacer,ranking,remember,serial}.test.ts',
      'domain/{subscription,tags,text,typos,word-list}.test.ts',
      'domain/{cadence,fit,schedule}.test.ts',
    ],
  },
  store: {
    files: ['store/{sealing,commit,lease,ledgers,table,keys,pages}.ts'],
    tests: ['store/{sealing,commit,contract,lease,ledgers,pages,sqlite-commit}.test.ts'],
  },
  records: {
    files: ['store/{accounts,archive,destinations,history,subscriptions}.ts'],
    tests: ['store/{contract,records,shared}.test.ts'],
  },
  copies: {
    files: ['store/{batches,copy,faults,key-check,overlay,process-identity,schema,secret-keys,store-url}.ts'],
    tests: [
      'store/{batches,copy,faults,key-check,overlay,process-identity,schema,sealing,store-url}.test.ts',
    ],
  },
  lanes: {
    files: ['store/lanes.ts'],
    tests: ['store/{contract,lane-rules,sqlite}.test.ts', 'engine/lane-engine.test.ts'],
  },
  sqlite: {
    files: [
      'store/{index,keyv,migrate-rows,rotate-keys,sql-leases,sql-table,turn-fence}.ts',
      'store/sqlite/*.ts',
    ],
    tests: [
      'store/{backup,contract,damage,key-check,lease,open,records,schema,sealing,shared,sql-table}.test.ts',
      'store/{keyv,sqlite,sqlite-commit,sqlite-connection,sqlite-files}.test.ts',
    ],
  },
  postgres: {
    files: ['store/postgres/*.ts'],
    tests: ['store/{commit,contract,ledgers,postgres,shared,store-url}.test.ts'],
    // Most tests of a database server have the tag "long".
    long: true,
  },
  restore: {
    files: ['store/{backup,backups-dir,damage,restore}.ts'],
    tests: ['store/{backup,damage}.test.ts'],
  },
  feed: {
    files: ['sources/jobs-api/*.ts'],
    tests: [
      'sources/{board,decode,hashes,json,listing,redact-token,request,retries,rss,sharing,transport,turns,versions}.test.ts',
    ],
  },
  pipeline: {
    files: ['pipeline/{poll,requests}.ts'],
    tests: [
      'pipeline/{poll,requests,news,delivery,digest,scheduler,moving,pause,later-places,api-errors}.test.ts',
      'pipeline/{enrich,crash}.test.ts',
    ],
  },
  delivery: {
    files: [
      'pipeline/{prepare,dispatch,delivery-failure,enqueue-deliveries,shared-destinations}.ts',
      'pipeline/{guard,link-book,removed}.ts',
    ],
    tests: [
      'pipeline/{delivery,digest,dispatch,link-book,moving,later-places,over-cap,per-day,places}.test.ts',
      'pipeline/{crash,deadline,news,outage,pause,quiet,redact-token,removed,same-job}.test.ts',
      'pipeline/{prepare,shared-destinations}.test.ts',
      'domain/clock-back.test.ts',
    ],
  },
  watch: {
    files: [
      'pipeline/{cycle,daily-stats,notices,poll-trouble,quiet-weeks,reminders,servers,stuck}.ts',
      'pipeline/{tokens,why}.ts',
    ],
    tests: [
      'pipeline/{api-errors,cycle,daily-stats,delivery,news,notices,pause,places,poll,servers}.test.ts',
      'pipeline/{quiet-weeks,reminders,removed,requests,scheduler,shared-destinations,stuck,three-days,tokens,trouble}.test.ts',
      'services/{reminders,subscriptions}.test.ts',
    ],
  },
  sync: {
    files: [
      'pipeline/{ask,enrich,ledgers,pauses,poll-result,reconcile,same}.ts',
      'pipeline/{scheduler,subscription-sync}.ts',
    ],
    tests: [
      'pipeline/{api-errors,ask,crash,enrich,enrich-rules,ledgers,news,operator,pause,poll,poll-now}.test.ts',
      'pipeline/{changes,poll-result,reconcile,removed,requests,scheduler,store-outage,subscription-sync}.test.ts',
      'pipeline/{same,turns}.test.ts',
    ],
  },
  want: { files: ['domain/want/{read,scan}.ts'], tests: ['domain/want/want.test.ts'] },
  words: {
    files: ['domain/want/{language,lexicon,print}.ts'],
    tests: ['domain/want/{print,print.property,want}.test.ts'],
  },
  sinks: {
    files: ['sinks/{webhook,console}/*.ts', 'sinks/{index,settings,third-party}.ts'],
    tests: ['sinks/{console,webhook*,registry}.test.ts'],
  },
  discord: {
    files: ['sinks/discord/*.ts'],
    tests: ['sinks/{discord*,same-job}.test.ts', 'pipeline/later-places.test.ts'],
  },
  telegram: { files: ['sinks/telegram/*.ts'], tests: ['sinks/telegram*.test.ts'] },
  mails: {
    files: [
      'sinks/email/{address,data-requests,failures,health,lint,message,pack,relay-reports,reports}.ts',
      'sinks/email/{smtp-replies,suppression,unsubscribes}.ts',
    ],
    tests: [
      'sinks/email-{address,data-requests,failures,health,hostile-reports,lint,message,pack,relay-reports}.test.ts',
      'sinks/email-{bounces,reports,smtp-replies,smtp-reply-table,suppression}.test.ts',
    ],
  },
  mailDoctor: { files: ['sinks/email/doctor.ts'], tests: ['sinks/email-doctor.test.ts'] },
  mailService: {
    files: ['sinks/email/{mail-service,consent,confirmations}.ts'],
    tests: [
      'web/{consent,erase,manage,preferences,shared-readers,unsubscribe}.test.ts',
      'sinks/email-{confirmations,consent,service}.test.ts',
    ],
  },
  email: {
    files: ['sinks/email/{bounces,compose,obstacle,sink,transport}.ts'],
    tests: [
      'sinks/email.test.ts',
      'sinks/email-{bounces,chart,confirmations,consent,contract,life,maildir,mails,obstacle,smtp-replies,transport,trust}.test.ts',
    ],
  },
  rights: {
    files: ['services/{feedback,kept,marks,subscriptions,waiting}.ts'],
    tests: ['services/{accounts,feedback,kept,reminders,reports,subscriptions,waiting}.test.ts'],
  },
  people: {
    files: [
      'services/{accounts,archive,companies,index,interactive,preview,report}.ts',
      'services/{send-test,status-snapshot,tokens}.ts',
    ],
    tests: [
      'services/{accounts,archive,companies,interactive,preview,reports,send-test}.test.ts',
      'services/{status-snapshot,subscriptions,waiting}.test.ts',
    ],
  },
  sessions: {
    files: ['services/{access-keys,sessions,token-tries}.ts'],
    tests: ['services/session-rules.test.ts'],
  },
};
