// Has files look as others did: by number, and by the times of their birth and their last change. So what a power cut has left
// can be put up elsewhere, and whoever knew the files knows them again.
#pragma once

/// From now on the file at a path, itself if it is a link, is taken for the one of a number; until it is changed, it was changed
/// last at a time, and born at another, in nanoseconds since 1970; 0 for when it was. Ends the process when there is no such file.
void show_as(const char *path, unsigned long file, long changed, long born);

/// Has all files look as they are.
void show_as_they_are(void);
