
export class Tree {
  depth() {
    return this.#deep(this.root, 0);
  }

  #deep(node, above) {
    let deepest = above;
    const list = node.children ?? [];
    for (const child of list) {
      const below = this.#deep(child, above + 1);
      if (below > deepest) deepest = below;
    }
    const leaf = list.length === 0;
    if (leaf) deepest += 1;
    return deepest;
  }
}
