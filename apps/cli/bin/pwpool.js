#!/usr/bin/env node
// The file exists before the first build, so that the package manager can link it.
import '../dist/bin.js';
