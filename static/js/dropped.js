// Finds the files in what was dropped, folders and their folders included, and what of it cannot be read.

// Returns {files, unreadable}; unreadable are the names of files and folders.
export async function filesOf(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return { files: [...transfer.files], unreadable: [] };
  const found = { files: [], unreadable: [] };
  for (const entry of entries) await walk(entry, found);
  return found;
}

async function walk(entry, found) {
  // Files like .DS_Store are the file manager's, not the person's.
  if (entry.name.startsWith(".")) return;
  try {
    if (entry.isFile) found.files.push(await new Promise((resolve, reject) => entry.file(resolve, reject)));
    else for (const child of await children(entry)) await walk(child, found);
  } catch {
    found.unreadable.push(entry.fullPath.slice(1));
  }
}

async function children(folder) {
  const reader = folder.createReader();
  const all = [];
  // A reader hands out at most a hundred entries at a time and an empty list at the end.
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return all;
    all.push(...some);
  }
}
