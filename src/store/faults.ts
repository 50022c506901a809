// Maps database error codes to the few kinds of fault that the program handles, each with a fix. The driver's error is
// not kept as a cause, because it may contain statements, values or the address.
import { StoreError, type StoreFault, UserError } from '../domain/errors.js';
import { fileFault } from '../domain/file-fault.js';

const FIX: Record<StoreFault, string> = {
  full: 'The store has no room left. Free some space on its disk (or raise its memory limit); work then resumes automatically.',
  locked:
    'The store is locked by another process. End that process, or wait; work then resumes automatically.',
  corrupt: 'The store is damaged. Stop the service and restore a backup with `jobcrier restore FILE`.',
  newer:
    'The store was written by a later version of this program. Install that version, or restore an older backup.',
  lost: 'Another process holds the store, so this one stops.',
  taken: 'Another process took over this work, so nothing of it is written here.',
  unsure:
    'The connection to the store broke while it was writing, so it is not known whether the change was made. Check whether it was made before you try again.',
  unavailable:
    "The store can't be reached. Check that its server runs, and that STORE_URL and its permissions are right.",
};

/** SQLite has no server, so the fault is in the file. */
const NO_FILE =
  "The file of the store can't be opened or written. Check that its folder exists and that this user can write to it (STORE_URL, DATA_DIR).";

const CODES: Record<string, StoreFault> = {
  SQLITE_FULL: 'full',
  ENOSPC: 'full',
  EDQUOT: 'full',
  SQLITE_BUSY: 'locked',
  SQLITE_LOCKED: 'locked',
  SQLITE_PROTOCOL: 'locked',
  SQLITE_CORRUPT: 'corrupt',
  SQLITE_NOTADB: 'corrupt',
  // PostgreSQL, appendix A: disk full, out of memory, lock not available, deadlock, cancelled by a timeout, damaged data.
  '53100': 'full',
  '53200': 'full',
  '55P03': 'locked',
  '40P01': 'locked',
  '57014': 'locked',
  XX001: 'corrupt',
  XX002: 'corrupt',
};

/** Returns the driver's error as a {@link StoreError}. A StoreError is returned unchanged. */
export function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  const fault = faultOf(code, error);
  if (fault !== 'unavailable') return storeError(fault, code);
  if (code?.startsWith('SQLITE_')) return new StoreError(fault, `${NO_FILE} (${code})`);
  return new StoreError(fault, fileFault(error, 'write') ?? storeError(fault, code).message);
}

/**
 * Returns a {@link StoreError} with the fix for its kind. `detail` is a code or a few words, never an address or a value.
 */
export function storeError(fault: StoreFault, detail?: string): StoreError {
  return new StoreError(fault, detail ? `${FIX[fault]} (${detail})` : FIX[fault]);
}

/** Runs `work` and throws database errors as a {@link StoreError}. User errors and bugs are thrown unchanged. */
export async function asStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UserError || isBug(error) ? error : toStoreError(error);
  }
}

function isBug(error: unknown): boolean {
  return (error instanceof TypeError || error instanceof ReferenceError) && codeOf(error) === undefined;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

function faultOf(code: string | undefined, error: unknown): StoreFault {
  if (error instanceof SyntaxError) return 'corrupt';
  return (code && CODES[code]) || 'unavailable';
}
