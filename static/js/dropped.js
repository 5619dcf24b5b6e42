// Finds the files in what was dropped or chosen, folders and their folders included, and what of it cannot be read.

// Returns {files, unreadable}; unreadable are the names of files and folders.
export async function filesOf(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return { files: [...transfer.files], unreadable: [] };
  const found = { files: [], unreadable: [] };
  for (const entry of entries) await walk(entry, found);
  return found;
}

// Leaves the hidden files out of a chosen folder, and those in hidden folders.
export function shownOf(files) {
  return [...files].filter((file) => !(file.webkitRelativePath || file.name).split("/").some(isHidden));
}

// Files like .DS_Store are the file manager's, not the person's.
function isHidden(name) {
  return name.startsWith(".");
}

async function walk(entry, found) {
  if (isHidden(entry.name)) return;
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
