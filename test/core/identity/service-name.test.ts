import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isSameService, serviceName } from '../../../src/core/identity/service-name.ts';

describe('the name of a service', () => {
  test('shows its address and version', () => {
    assert.equal(serviceName('https://API.example.com:443/pay/', 'v2'), 'https://api.example.com/pay (v2)');
  });

  for (const [one, other, isSame] of [
    ['https://api.example.com (v2)', 'https://api.example.com (v2)', true],
    ['https://API.Example.com/', 'https://api.example.com (v2)', true],
    ['https://api.example.com:443//', 'https://api.example.com', true],
    // A batch from before the version was said.
    ['https://api.example.com', 'https://api.example.com (v1)', true],
    ['https://api.example.com (v1)', 'https://api.example.com (v2)', false],
    ['https://api.example.com', 'https://api.example.org', false],
    ['https://api.example.com/Pay', 'https://api.example.com/pay', false],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8081', false],
    ['embedded sandbox', 'embedded sandbox', true],
    ['embedded sandbox', 'http://127.0.0.1:8080 (v2)', false],
  ] as const) {
    test(`${one} ${isSame ? 'is' : 'is not'} ${other}`, () => {
      assert.equal(isSameService(one, other), isSame);
      assert.equal(isSameService(other, one), isSame);
    });
  }
});
