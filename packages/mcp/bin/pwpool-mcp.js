#!/usr/bin/env node
import module from 'node:module';

// Node 22 and later keep what they compiled for the next start.
module.enableCompileCache?.();
// The file exists before the first build, so that the package manager can link it.
await import('../dist/bin.js');
