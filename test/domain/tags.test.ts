// The tag list decides what the API is asked; a wrong slug gives an empty result without an error.
import { describe, expect, test } from 'vitest';
import {
  displayTag,
  isTag,
  nearestTags,
  resolveTag,
  TAG_GROUPS,
  TAGS,
  tagsOf,
} from '../../src/domain/tags.js';

describe('the filter tag list', () => {
  test('holds 56 distinct slugs, each lower case with single hyphens', () => {
    expect(TAGS).toHaveLength(56);
    expect(new Set(TAGS).size).toBe(56);
    for (const tag of TAGS) expect(tag).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect([TAGS[0], TAGS.at(-1)]).toEqual(['ai', 'zero-knowledge']);
  });

  test.each(['rust', 'erc-20', 'web3js', 'zero-knowledge'])('%s is a tag', (slug) => {
    expect(isTag(slug)).toBe(true);
  });

  test.each(['Rust', 'front end', 'frontend', 'zk', '', ' rust', 'python', undefined, 3])(
    '%j is no tag',
    (value) => {
      expect(isTag(value)).toBe(false);
    },
  );
});

test('every tag is in one group of the forms', () => {
  const grouped = TAG_GROUPS.flatMap(tagsOf);
  expect(grouped.toSorted()).toEqual([...TAGS]);
  expect(tagsOf('other')).toContain('defi');
});

describe('what people type', () => {
  test.each([
    ['Front End', 'front-end'],
    ['front_end', 'front-end'],
    ['FRONTEND', 'front-end'],
    ['zk', 'zero-knowledge'],
    ['Go', 'golang'],
    ['golang', 'golang'],
    ['ERC20', 'erc-20'],
    ['devrel', 'developer-relations'],
    ['Smart Contracts', 'smart-contract'],
    ['web3.js', 'web3js'],
    ['Full Stack', 'full-stack'],
  ])('%s means %s', (input, tag) => {
    expect(resolveTag(input)).toBe(tag);
    expect(nearestTags(input, 3)[0]).toBe(tag);
  });

  test.each([
    ['soldity', 'solidity'],
    ['blokchain', 'blockchain'],
    ['zero', 'zero-knowledge'],
    ['knowledge', 'zero-knowledge'],
    ['marketting', 'marketing'],
    ['rust developer', 'rust'],
    ['rsut', 'rust'],
    ['ndoe', 'node'],
  ])('%s is near %s, but not accepted as it', (input, tag) => {
    expect(resolveTag(input)).toBeUndefined();
    expect(nearestTags(input, 3)).toContain(tag);
  });

  test('suggests nothing without a near match, and the head of the list for an empty input', () => {
    expect(nearestTags('xylophone', 5)).toEqual([]);
    expect(nearestTags('  ', 3)).toEqual(['ai', 'analyst', 'backend']);
    expect(nearestTags('s', 2)).toHaveLength(2);
  });

  test('suggests java before javascript for java', () => {
    expect(nearestTags('java', 2)).toEqual(['java', 'javascript']);
  });
});

test.each([
  ['zero-knowledge', 'ZK'],
  ['defi', 'DeFi'],
  ['rust', 'Rust'],
  ['solidity', 'Solidity'],
  ['typescript', 'TypeScript'],
  ['web3-py', 'web3.py'],
  ['layer-2', 'Layer 2'],
  ['some-other-tag', 'Some other tag'],
  ['über', 'Über'],
])('%s reads as %s', (slug, words) => {
  expect(displayTag(slug)).toBe(words);
});

test.each([
  ['__proto__', '__proto__'],
  ['constructor', 'Constructor'],
  ['toString', 'ToString'],
  ['', ''],
])('a tag named %j is a word like any other', (slug, words) => {
  expect(displayTag(slug)).toBe(words);
});

describe('the nearest tags', () => {
  test('are the slug, then what starts with it, then what contains it', () => {
    expect(nearestTags('java', 2)).toEqual(['java', 'javascript']);
    expect(nearestTags('chain', 2)[0]).toBe('blockchain');
    expect(nearestTags('  ')).toEqual(nearestTags(''));
    expect(nearestTags('', 3)).toHaveLength(3);
    expect(nearestTags('--')).toEqual([]);
  });

  test.each([
    ['crypt', ['crypto', 'cryptography', 'pay-in-crypto']],
    ['kub', ['devops']],
    ['kubernets', ['devops']],
    ['gola', ['golang']],
    ['contra', ['smart-contract']],
    ['designs', ['design']],
    ['zk', ['zero-knowledge']],
    ['net', []],
  ])('of %j are %j', (input, tags) => {
    expect(nearestTags(input)).toEqual(tags);
  });

  test('allow one typing error for each four letters', () => {
    expect(nearestTags('rusr')).toContain('rust');
    expect(nearestTags('rxsr')).not.toContain('rust');
    expect(nearestTags('solidiyt')).toContain('solidity');
    expect(nearestTags('solxdxyt')).not.toContain('solidity');
  });
});
