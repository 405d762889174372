import { describe, expect, it } from 'vitest';
import { Heap, type HeapNode } from '../../src/lease/heap.js';

interface Ranked extends HeapNode {
  rank: number;
}

const ranked = (rank: number): Ranked => ({ rank, heapIndex: -1 });

function heapOf(nodes: readonly Ranked[]): Heap<Ranked> {
  const heap = new Heap<Ranked>((a, b) => a.rank - b.rank);
  for (const node of nodes) heap.add(node);
  return heap;
}

function drain(heap: Heap<Ranked>): number[] {
  const ranks: number[] = [];
  for (let node = heap.next; node; node = heap.next) {
    heap.remove(node);
    ranks.push(node.rank);
  }
  return ranks;
}

/** All orders of these numbers. */
function permutations(numbers: readonly number[]): number[][] {
  if (numbers.length === 0) return [[]];
  return numbers.flatMap((first) =>
    permutations(numbers.filter((other) => other !== first)).map((rest) => [first, ...rest]),
  );
}

describe('the heap of idle entries', () => {
  it('is empty at first and after its last node has left', () => {
    const node = ranked(1);
    const heap = heapOf([node]);
    heap.remove(node);
    expect(heap.next).toBeUndefined();
    expect(heap.size).toBe(0);
    heap.add(node);
    expect(heap.next).toBe(node);
  });

  it('keeps its order whichever one node is removed, in whatever order they were added', () => {
    for (const order of permutations([0, 1, 2, 3, 4, 5])) {
      for (const removed of order) {
        const nodes = order.map(ranked);
        const heap = heapOf(nodes);
        for (const node of nodes) if (node.rank === removed) heap.remove(node);
        expect(drain(heap)).toEqual([0, 1, 2, 3, 4, 5].filter((rank) => rank !== removed));
      }
    }
  });

  it('lets the node that fills a gap rise past the parent of the gap', () => {
    //        0
    //    10     1
    //  11  12  2  3     when 11 goes, 3 takes its place, and has to rise above 10
    const nodes = [0, 10, 1, 11, 12, 2, 3].map(ranked);
    const heap = heapOf(nodes);
    const [, , , eleven] = nodes;
    if (eleven) heap.remove(eleven);
    expect(drain(heap)).toEqual([0, 1, 2, 3, 10, 12]);
  });

  it('looks at few nodes when one leaves from the middle', () => {
    const nodes = Array.from({ length: 4096 }, (_, rank) => ranked(rank));
    let comparisons = 0;
    const heap = new Heap<Ranked>((a, b) => {
      comparisons += 1;
      return a.rank - b.rank;
    });
    for (const node of nodes) heap.add(node);
    for (const node of nodes.slice(1000, 1100)) {
      comparisons = 0;
      heap.remove(node);
      heap.add(node);
      expect(comparisons).toBeLessThanOrEqual(3 * 12 + 2);
    }
    expect(drain(heap)).toEqual(nodes.map(({ rank }) => rank));
  });
});
