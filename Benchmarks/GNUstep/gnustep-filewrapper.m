/* What GNUstep's NSFileWrapper takes to save a package of which one member has changed.
 *
 *   gnustep-filewrapper PACKAGE FOLDER MEMBER ROUNDS
 *
 * Reads the package once, then changes MEMBER in FOLDER and writes the package over itself, ROUNDS times; prints the
 * seconds of each. Not synced: it has no call for that.
 */
#import <AppKit/NSFileWrapper.h>
#import <Foundation/Foundation.h>

#include <stdio.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void replace(NSFileWrapper *package, NSString *folder, NSString *member, int round)
{
    NSFileWrapper *parent = [[package fileWrappers] objectForKey: folder];
    NSFileWrapper *old = [[parent fileWrappers] objectForKey: member];
    NSMutableData *data = [NSMutableData dataWithLength: 1024];
    memset([data mutableBytes], 'a' + round % 26, 1024);
    NSFileWrapper *new = [[NSFileWrapper alloc] initRegularFileWithContents: data];
    [new setPreferredFilename: member];
    [parent removeFileWrapper: old];
    [parent addFileWrapper: new];
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: gnustep-filewrapper PACKAGE FOLDER MEMBER ROUNDS\n");
        return 2;
    }
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    NSString *path = [NSString stringWithUTF8String: argv[1]];
    NSString *folder = [NSString stringWithUTF8String: argv[2]];
    NSString *member = [NSString stringWithUTF8String: argv[3]];
    NSFileWrapper *package = [[NSFileWrapper alloc] initWithPath: path];
    if (package == nil) {
        fprintf(stderr, "gnustep-filewrapper: cannot read %s\n", argv[1]);
        return 1;
    }
    for (int round = 0; round < atoi(argv[4]); round++) {
        replace(package, folder, member, round);
        double start = now();
        if (![package writeToFile: path atomically: YES updateFilenames: YES]) {
            fprintf(stderr, "gnustep-filewrapper: cannot write %s\n", argv[1]);
            return 1;
        }
        printf("%.6f\n", now() - start);
    }
    [pool release];
    return 0;
}
